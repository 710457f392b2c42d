namespace Loxo.Tests.Types.Names;

public class PgSnakeCaseNameTranslatorTests
{
    [TestCase("Mood", "mood")]
    [TestCase("OrderStatus", "order_status")]
    [TestCase("orderStatus", "order_status")]
    [TestCase("HTTPServer", "http_server")]
    [TestCase("ServerHTTP", "server_http")]
    [TestCase("Address2", "address_2")]
    [TestCase("UTF8", "utf8")]
    [TestCase("already_snake", "already_snake")]
    [TestCase("Mixed_Case", "mixed_case")]
    [TestCase("A", "a")]
    [TestCase("", "")]
    public void Words_are_in_lower_case_with_underscores(string clrName, string expected)
    {
        Assert.That(PgSnakeCaseNameTranslator.Instance.TranslateTypeName(clrName), Is.EqualTo(expected));
        Assert.That(PgSnakeCaseNameTranslator.Instance.TranslateMemberName(clrName), Is.EqualTo(expected));
    }

    [Test]
    public void A_culture_can_be_named() => Assert.That(
        new PgSnakeCaseNameTranslator(System.Globalization.CultureInfo.InvariantCulture).TranslateTypeName("Id"), Is.EqualTo("id"));

    [Test]
    public void The_other_translator_changes_nothing()
    {
        Assert.That(new PgNullNameTranslator().TranslateTypeName("OrderStatus"), Is.EqualTo("OrderStatus"));
        Assert.That(new PgNullNameTranslator().TranslateMemberName("InWork"), Is.EqualTo("InWork"));
    }
}
