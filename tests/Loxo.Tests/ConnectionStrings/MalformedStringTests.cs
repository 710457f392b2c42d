using System.Data.Common;
using FsCheck;
using FsCheck.Fluent;

namespace Loxo.Tests.ConnectionStrings;

public class MalformedStringTests
{
    [TestCase("Host", "The connection string has no '=' after 'Host' at character 1. Write keyword=value pairs with ';' between them.")]
    [TestCase("Port=1; Host ;Database=x",
        "The connection string has no '=' after 'Host' at character 9. Write keyword=value pairs with ';' between them.")]
    [TestCase("Host==a",
        "The connection string has no '=' after 'Host=a' at character 1. Write keyword=value pairs with ';' between them.")]
    [TestCase("=x", "The connection string has no keyword before the '=' at character 1.")]
    [TestCase("Host=a;=x", "The connection string has no keyword before the '=' at character 8.")]
    [TestCase("Host='a", "The connection string has a value of 'Host' that starts with ' at character 6 and has no closing '.")]
    [TestCase("Server=\"a", "The connection string has a value of 'Host' that starts with \" at character 8 and has no closing \".")]
    [TestCase("Host='a'b", "The connection string goes on after the closing ' of 'Host' at character 9. Within the value ' is doubled.")]
    [TestCase("Host=a'", "The connection string has a value of 'Host' at character 6 that ends in a quote but does not start with one.")]
    [TestCase("Host=a\u0001b",
        "The connection string has a control character in the value of 'Host' at character 7. Such a value has to be quoted.")]
    [TestCase("Ho\u0001st=a", "The connection string has a control character within a keyword at character 3.")]
    [TestCase("Elephant=1", "The connection string has the unknown keyword 'Elephant' at character 1.")]
    [TestCase("Port=1;Hots=a", "The connection string has the unknown keyword 'Hots' at character 8. Did you mean 'Host'?")]
    public void The_error_says_what_is_wrong_and_where(string text, string message) =>
        Assert.That(Given.ErrorOf(text), Is.EqualTo(message));

    [TestCase("Host=a;;"), TestCase(";Host=a"), TestCase(" ; Host=a ; "), TestCase("Host=a;\n")]
    public void Empty_pairs_are_passed_over_as_everywhere_in_ADO_NET(string text) =>
        Assert.That(new PgConnectionStringBuilder(text).ConnectionString, Is.EqualTo("Host=a"));

    [Test]
    public void A_text_of_any_characters_is_read_or_refused_with_an_ArgumentException() =>
        Prop.ForAll<string?>(text => ReadsOrRefuses(text)).QuickCheckThrowOnFailure();

    [Test]
    public void A_text_of_pieces_of_connection_strings_is_read_or_refused_with_an_ArgumentException() =>
        Prop.ForAll(Pieces(), ReadsOrRefuses).Check(Config.QuickThrowOnFailure.WithMaxTest(3000));

    [Test]
    public void A_text_is_read_as_DbConnectionStringBuilder_reads_it_or_refused_by_both() =>
        Prop.ForAll(Pieces(), AgreesWithAdoNet).Check(Config.QuickThrowOnFailure.WithMaxTest(3000));

    [Test]
    public void Any_password_without_NUL_survives_the_way_through_a_string() =>
        Prop.ForAll<NonNull<string>>(text =>
        {
            var password = text.Get.Replace("\0", "");
            var written = new PgConnectionStringBuilder { Username = "u", Password = password };
            return new PgConnectionStringBuilder(written.ConnectionString).Password == (password.Length == 0 ? null : password);
        }).QuickCheckThrowOnFailure();

    private static bool ReadsOrRefuses(string? text)
    {
        try
        {
            var builder = new PgConnectionStringBuilder(text);
            return new PgConnectionStringBuilder(builder.ConnectionString).Equals(builder);
        }
        catch (ArgumentException error)
        {
            return error.Message.Length > 0;
        }
    }

    private static bool AgreesWithAdoNet(string text)
    {
        if (text.Contains("://", StringComparison.Ordinal))
            return true;
        var ours = Outcome(builder => builder.ConnectionString = text);
        // The base class parses by itself and sets the keywords one by one. Those without a value it takes out without looking what they are.
        var theirs = Outcome(builder => ((DbConnectionStringBuilder)builder).ConnectionString = text);
        var strangeKeyword = ours.Contains("unknown keyword") || ours.Contains("no '='");
        return ours == theirs || (ours.StartsWith("Refused") && (theirs.StartsWith("Refused") || strangeKeyword));
    }

    private static string Outcome(Action<PgConnectionStringBuilder> assign)
    {
        var builder = new PgConnectionStringBuilder();
        try
        {
            assign(builder);
            return builder.ConnectionString;
        }
        catch (ArgumentException error)
        {
            return "Refused: " + error.Message;
        }
    }

    private static Arbitrary<string> Pieces() =>
        Gen.Elements("Host", "host", "Server", "Password", "PWD", "Database", "Port", "Elephant",
                "=", "=", "=", "==", ";", ";", " ", "'", "\"", "''", "a", "b c", "5", "\t", "\u0001",
                "postgres://", "postgresql://u:p@h/", "@", ":", "/", "?", "&", "%41", "%", ",", "[::1]", "sslmode=require", "ü")
            .ListOf()
            .Select(pieces => string.Concat(pieces))
            .ToArbitrary();
}
