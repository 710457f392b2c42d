using Loxo.Sql;

namespace Loxo.Tests.Sql;

public class SqlIdentifierTests
{
    [TestCase("orders", "\"orders\"")]
    [TestCase("Order Items", "\"Order Items\"")]
    [TestCase("select", "\"select\"")]
    [TestCase("a\"; DROP TABLE b; --", "\"a\"\"; DROP TABLE b; --\"")]
    [TestCase("\"", "\"\"\"\"")]
    [TestCase("größe\\", "\"größe\\\"")]
    public void A_name_is_quoted(string name, string quoted) => Assert.That(SqlIdentifier.Quote(name), Is.EqualTo(quoted));

    [TestCase("a\"b")]
    [TestCase("\"\"")]
    [TestCase("a;'$$--/*")]
    public void A_quoted_name_is_one_token(string name)
    {
        var quoted = SqlIdentifier.Quote(name);

        Assert.That(SqlLexerTests.Lex(quoted, standardConformingStrings: true),
            Is.EqualTo(new[] { new SqlToken(SqlTokenKind.QuotedIdentifier, 0, quoted.Length) }));
    }

    [Test]
    public void A_NUL_is_refused_with_its_place() =>
        Assert.That(() => SqlIdentifier.Quote("ab\0c"), Throws.ArgumentException.With.Message.Contains("index 2").And.Property("ParamName").EqualTo("name"));

    [Test]
    public void An_empty_name_is_refused() => Assert.That(() => SqlIdentifier.Quote(""), Throws.ArgumentException);

    [Test]
    public void Null_is_refused() => Assert.That(() => SqlIdentifier.Quote(null!), Throws.ArgumentNullException);
}
