using System.Globalization;
using Loxo;

namespace Quickstart.Steps;

/// <summary>
/// A bulk copy: objects go to the table's columns of the same names, all rows or none. PostgreSQL takes them many times faster than from
/// INSERT.
/// </summary>
internal static class LoadVisits
{
    public const int Rows = 100_000;

    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        await using (var create = new PgCommand("CREATE TABLE visits (id int PRIMARY KEY, product_id int, page text, seconds double precision)", connection))
            await create.ExecuteNonQueryAsync(token);

        using var progress = new ProgressBar("loading", Rows);
        var bulk = new PgBulkCopy(connection) { DestinationTableName = "visits", Progress = progress, NotifyAfter = 5000 };
        var result = await bulk.WriteToServerAsync(Visits(), token);
        return string.Create(CultureInfo.InvariantCulture,
            $"{result.RowsCopied:N0} rows loaded, {result.RowsCopied / result.Duration.TotalSeconds:N0} per second");
    }

    private static IEnumerable<Visit> Visits() =>
        Enumerable.Range(1, Rows).Select(i => new Visit(i, 1 + i % 2, $"/products/{1 + i % 2}?visit={i}", i % 600 / 10.0));
}

/// <summary>A row of the table: id, product_id, page, seconds.</summary>
internal sealed record Visit(int Id, int ProductId, string Page, double Seconds);
