using System.Globalization;
using Microsoft.VisualBasic.FileIO;

namespace BulkLoad;

/// <summary>A CSV file of sales, with a header.</summary>
internal sealed class SalesFile(string path)
{
    private static readonly string[] _products = ["coffee", "tea", "cups, white", "a \"large\" pot"];

    /// <summary>The lines that hold no sale, by their numbers from 1.</summary>
    public List<(long Line, string Why)> Rejected { get; } = [];

    /// <summary>Writes sales. One in ten thousand has a price that is no number or has a stray quote, and the last one is a correction of the first.</summary>
    public async Task WriteAsync(int sales, CancellationToken token)
    {
        await using var file = new StreamWriter(path);
        await file.WriteLineAsync("id,sold_on,product,pieces,price");
        for (var id = 1; id <= sales; id++)
        {
            var product = _products[id % _products.Length].Replace("\"", "\"\"", StringComparison.Ordinal);
            var price = id % 20_000 == 0 ? "\"1.99\"0" : id % 10_000 == 0 ? "n/a" : $"{id % 50}.99";
            await file.WriteLineAsync($"{id},2026-{(id % 12) + 1:00}-{(id % 28) + 1:00},\"{product}\",{(id % 9) + 1},{price}".AsMemory(), token);
        }
        await file.WriteLineAsync("1,2026-01-01,\"tea\",1,0.50".AsMemory(), token);
    }

    /// <summary>Reads the sales one by one, however large the file is. A line that holds no sale is left out.</summary>
    public IEnumerable<Sale> Read()
    {
        using var parser = new TextFieldParser(path) { TextFieldType = FieldType.Delimited, Delimiters = [","], HasFieldsEnclosedInQuotes = true };
        FieldsOf(parser);
        while (!parser.EndOfData)
        {
            var line = parser.LineNumber;
            if (FieldsOf(parser) is [var id, var day, var product, var pieces, var price]
                && int.TryParse(id, CultureInfo.InvariantCulture, out var number)
                && DateOnly.TryParseExact(day, "yyyy-MM-dd", out var soldOn)
                && int.TryParse(pieces, CultureInfo.InvariantCulture, out var count)
                && decimal.TryParse(price, CultureInfo.InvariantCulture, out var amount))
                yield return new Sale(number, soldOn, product, count, amount);
            else
                Rejected.Add((line, "a field is missing, or is no number or date"));
        }
    }

    // Null for a line whose quotes do not match.
    private static string[]? FieldsOf(TextFieldParser parser)
    {
        try
        {
            return parser.ReadFields();
        }
        catch (MalformedLineException)
        {
            return null;
        }
    }
}
