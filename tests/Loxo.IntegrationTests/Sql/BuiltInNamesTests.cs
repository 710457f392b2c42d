using Loxo.Sql;
using Loxo.Tools.SqlFunctions;

namespace Loxo.IntegrationTests.Sql;

/// <summary>The generated lists against the server that the tests run on.</summary>
public class BuiltInNamesTests
{
    private PgConnection _connection = null!;

    [SetUp]
    public void Open()
    {
        _connection = new PgConnection(TestServer.Default.ConnectionString);
        _connection.Open();
    }

    [TearDown]
    public void Close() => _connection.Dispose();

    [Test]
    public void Every_function_is_in_one_of_the_lists() => Assert.That(
        Functions().Where(function => BuiltInNames.IsPlainFunction(function.Name) == BuiltInNames.IsOtherFunction(function.Name)), Is.Empty);

    [Test]
    public void A_plain_function_was_reviewed_as_such() => Assert.That(
        Functions().Where(function => BuiltInNames.IsPlainFunction(function.Name) && !FunctionReview.IsPlain(function.Name, function.IsVolatile)), Is.Empty);

    [Test]
    public void Every_keyword_is_known()
    {
        var keywords = Rows("SELECT word, catcode IN ('R', 'C') FROM pg_get_keywords()");

        Assert.That(keywords.Where(keyword => !BuiltInNames.IsKeyword(keyword.Name)), Is.Empty);
        Assert.That(keywords.Where(keyword => keyword.Flag && !BuiltInNames.NamesNoFunction(keyword.Name)), Is.Empty);
    }

    private List<(string Name, bool IsVolatile)> Functions() => Rows(Catalogue.FunctionsQuery);

    private List<(string Name, bool Flag)> Rows(string sql)
    {
        using var command = new PgCommand(sql, _connection);
        using var reader = command.ExecuteReader();
        var rows = new List<(string, bool)>();
        while (reader.Read())
            rows.Add((reader.GetString(0), reader.GetBoolean(1)));
        Assert.That(rows, Has.Count.GreaterThan(100));
        return rows;
    }
}
