namespace Loxo.Tests.Types;

public class PgSnakeCaseNameTranslatorTests
{
    [TestCase("Mood", "mood")]
    [TestCase("OrderStatus", "order_status")]
    [TestCase("orderStatus", "order_status")]
    [TestCase("HTTPServer", "http_server")]
    [TestCase("ServerHTTP", "server_http")]
    [TestCase("Address2", "address2")]
    [TestCase("Address2Line", "address2line")]
    [TestCase("IPv4Address", "i_pv4address")]
    [TestCase("Foo-Bar", "foo_bar")]
    [TestCase("-a", "a")]
    [TestCase("__x", "__x")]
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
    public void Names_are_those_that_Npgsql_makes([Range(1, 20)] int seed)
    {
        var random = new Random(seed);
        var peer = new Npgsql.NameTranslation.NpgsqlSnakeCaseNameTranslator();
        for (var i = 0; i < 1000; i++)
        {
            var name = string.Concat(Enumerable.Range(0, random.Next(12)).Select(_ => "AAaab129__- .ÄäßǅⅫ١é\u0301中"[random.Next(22)]));
            Assert.That(PgSnakeCaseNameTranslator.Instance.TranslateMemberName(name), Is.EqualTo(peer.TranslateMemberName(name)), name);
            Assert.That(PgSnakeCaseNameTranslator.Instance.TranslateTypeName(name), Is.EqualTo(peer.TranslateTypeName(name)), name);
        }
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
