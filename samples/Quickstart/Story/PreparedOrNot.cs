using Loxo;

namespace Quickstart.Story;

/// <summary>
/// A join of five tables is dear to plan and cheap to run. A statement that runs again is prepared by itself, which saves the server
/// the planning; here that is also switched off.
/// </summary>
internal static class PreparedOrNot
{
    private const int Times = 200;
    private const int Statements = 256; // the default

    private const string WhatElseWasOrdered = """
        SELECT c.name, o.placed_at, p.name, l.quantity, other.product_id
        FROM customers c
        JOIN orders o ON o.customer_id = c.id
        JOIN order_lines l ON l.order_id = o.id
        JOIN products p ON p.id = l.product_id
        JOIN order_lines other ON other.order_id = o.id
        WHERE c.email = @email AND l.quantity >= @quantity
        """;

    public static Task<StoryLine> Measure(ShopDatabase database)
    {
        var prepared = Measure(database.ConnectionString(settings => settings.MaxAutoPrepare = Statements));
        var planned = Measure(database.ConnectionString(settings => settings.MaxAutoPrepare = 0));
        return Task.FromResult(new StoryLine(
            "a join of five tables", $"prepared {StoryTable.Microseconds(prepared)}", $"planned anew {StoryTable.Microseconds(planned)}", StoryTable.Times(prepared, planned)));
    }

    private static TimeSpan Measure(string connectionString)
    {
        using var connection = new PgConnection(connectionString);
        connection.Open();
        return StoryTable.Best(() => Run(connection)) / Times;
    }

    private static void Run(PgConnection connection)
    {
        for (var i = 0; i < Times; i++)
        {
            using var command = new PgCommand(WhatElseWasOrdered, connection);
            command.Parameters.AddWithValue("email", "ada@example.com");
            command.Parameters.AddWithValue("quantity", 1);
            using var reader = command.ExecuteReader();
            while (reader.Read())
                reader.GetString(0);
        }
    }
}
