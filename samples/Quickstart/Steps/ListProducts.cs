using System.Globalization;
using System.Text;
using Loxo;

namespace Quickstart.Steps;

/// <summary>The blocking calls: they stay on this thread all the way to the socket, and need no thread pool.</summary>
internal static class ListProducts
{
    public static Task<string> Run(PgConnection connection) => Task.FromResult(List(connection));

    private static string List(PgConnection connection)
    {
        using var command = new PgCommand("SELECT name, price, stock FROM products ORDER BY price", connection);
        using var reader = command.ExecuteReader();
        var list = new StringBuilder();
        while (reader.Read())
        {
            var (name, price, stock) = (reader.GetString(0), reader.GetDecimal(1), reader.GetInt32(2));
            list.Append(CultureInfo.InvariantCulture, $"{name,-12}{price,8:N2}{stock,8}\n");
        }
        return list.ToString().TrimEnd('\n');
    }
}
