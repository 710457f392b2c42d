using System.Globalization;
using System.Text;
using Loxo;

namespace Quickstart.Steps;

/// <summary>A join, read asynchronously. ReadAsync only waits when the next row has not arrived yet.</summary>
internal static class CustomerReport
{
    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        await using var command = new PgCommand(
            """
            SELECT c.name, p.name AS product, l.quantity, l.quantity * p.price AS total, o.placed_at
            FROM customers c
            JOIN orders o ON o.customer_id = c.id
            JOIN order_lines l ON l.order_id = o.id
            JOIN products p ON p.id = l.product_id
            WHERE c.email = ANY (@emails) AND o.placed_at >= @since
            ORDER BY total DESC
            """,
            connection);
        command.Parameters.AddWithValue("emails", new[] { "ada@example.com", "grace@example.com" }); // an array is text[]
        command.Parameters.AddWithValue("since", DateTime.UtcNow.AddDays(-1));

        await using var reader = await command.ExecuteReaderAsync(token);
        var report = new StringBuilder();
        while (await reader.ReadAsync(token))
        {
            var product = reader.GetString(reader.GetOrdinal("product"));
            var total = reader.GetFieldValue<decimal>(3);
            report.Append(CultureInfo.InvariantCulture, $"{reader.GetString(0)}: {reader.GetInt32(2)} x {product}, {total:N2}\n");
        }
        return report.ToString().TrimEnd('\n');
    }
}
