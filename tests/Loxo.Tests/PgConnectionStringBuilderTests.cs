using System.Data.Common;

namespace Loxo.Tests;

public class PgConnectionStringBuilderTests
{
    [Test]
    public void Empty_and_null_set_nothing()
    {
        Assert.That(new PgConnectionStringBuilder().ConnectionString, Is.Empty);
        Assert.That(new PgConnectionStringBuilder("").Count, Is.Zero);
        Assert.That(new PgConnectionStringBuilder(null).Count, Is.Zero);
        Assert.That(new PgConnectionStringBuilder(" ; ;; ").Count, Is.Zero);
    }

    [Test]
    public void Keywords_are_written_with_their_display_names_in_the_order_they_were_set()
    {
        var builder = new PgConnectionStringBuilder("server=a;PWD=b;sslmode=require;userid=u") { Port = 1 };

        Assert.That(builder.ConnectionString, Is.EqualTo("Host=a;Password=b;SSL Mode=Require;Username=u;Port=1"));
        Assert.That(builder.ToString(), Is.EqualTo(builder.ConnectionString));
        Assert.That(builder.Keys, Is.EqualTo(new[] { "Host", "Password", "SSL Mode", "Username", "Port" }));
        Assert.That(builder.Values, Is.EqualTo(new object[] { "a", "b", SslMode.Require, "u", 1 }));
    }

    [Test]
    public void The_last_of_several_settings_of_one_keyword_counts()
    {
        var builder = new PgConnectionStringBuilder("Host=a;Server=b;HOST=c");

        Assert.That(builder.Host, Is.EqualTo("c"));
        Assert.That(builder.Count, Is.EqualTo(1));
    }

    [Test]
    public void An_empty_value_takes_the_keyword_out()
    {
        Assert.That(new PgConnectionStringBuilder("Host=a;Host=").Count, Is.Zero);
        Assert.That(new PgConnectionStringBuilder("Port=5;Port=''").Port, Is.EqualTo(5432));
        Assert.That(new PgConnectionStringBuilder("Host=a") { Host = "" }.ConnectionString, Is.Empty);
        Assert.That(new PgConnectionStringBuilder("Host=a") { Host = null }.ConnectionString, Is.Empty);
    }

    [Test]
    public void Remove_and_Clear_bring_the_defaults_back()
    {
        var builder = new PgConnectionStringBuilder("Host=a;Port=7;SSL Mode=Require");

        Assert.That(builder.Remove("port"), Is.True);
        Assert.That(builder.Remove("Port"), Is.False);
        Assert.That(builder.Remove("Elephant"), Is.False);
        Assert.That(builder.Remove("SslMode"), Is.True);
        Assert.That((builder.Port, builder.SslMode, builder.ConnectionString), Is.EqualTo((5432, SslMode.Prefer, "Host=a")));

        builder.Clear();
        Assert.That((builder.Count, builder.Host), Is.EqualTo((0, (string?)null)));
    }

    [Test]
    public void ContainsKey_and_TryGetValue_know_the_keywords_and_ShouldSerialize_which_are_set()
    {
        var builder = new PgConnectionStringBuilder("Server=a");

        Assert.That(builder.ContainsKey("host") && builder.ContainsKey("Port"), Is.True);
        Assert.That(builder.ContainsKey("Elephant"), Is.False);
        Assert.That(builder.TryGetValue("Elephant", out var value), Is.False);
        Assert.That(value, Is.Null);
        Assert.That(builder.ShouldSerialize("Server"), Is.True);
        Assert.That(builder.ShouldSerialize("Port") || builder.ShouldSerialize("Elephant"), Is.False);
        Assert.That(() => builder.ContainsKey(null!), Throws.ArgumentNullException);
    }

    [Test]
    public void Builders_with_the_same_content_are_equal_in_any_order()
    {
        var one = new PgConnectionStringBuilder("Host=a;Port=7");
        var other = new PgConnectionStringBuilder("port=7;server=a");

        Assert.That(one, Is.EqualTo(other));
        Assert.That(one.GetHashCode(), Is.EqualTo(other.GetHashCode()));
        Assert.That(one.EquivalentTo(other), Is.True);
        Assert.That(one, Is.Not.EqualTo(new PgConnectionStringBuilder("Host=A;Port=7")));
        Assert.That(one, Is.Not.EqualTo(new PgConnectionStringBuilder("Host=a")));
        Assert.That(one.Equals("Host=a;Port=7"), Is.False);
    }

    [Test]
    public void After_an_error_the_builder_is_as_it_was()
    {
        var builder = new PgConnectionStringBuilder("Host=a;Port=7");

        foreach (var bad in new[] { "Host=b;Port=x", "Host=b;Elephant=1", "Host=b;oops", "postgres://b:x/", "Host=b;Port='" })
            Assert.That(() => builder.ConnectionString = bad, Throws.ArgumentException, bad);
        Assert.That(() => builder.Port = 0, Throws.ArgumentException);

        Assert.That(builder.ConnectionString, Is.EqualTo("Host=a;Port=7"));
    }

    [TestCase("a;b"), TestCase("a=b"), TestCase("it's"), TestCase("say \"hi\""), TestCase("'\"mixed\"';"), TestCase(" spaced ")]
    [TestCase("''")]
    [TestCase("\n"), TestCase("line\n"), TestCase("tab\tand\nline"), TestCase("ünïcödé 🐘"), TestCase("="), TestCase(";"), TestCase("{x}")]
    [TestCase("%25")]
    public void Any_value_survives_quoting(string value)
    {
        var written = new PgConnectionStringBuilder { Host = "h", Password = value, Database = value };
        var read = new PgConnectionStringBuilder(written.ConnectionString);

        Assert.That((read.Host, read.Password, read.Database), Is.EqualTo(("h", value, value)));
    }

    [Test]
    public void Values_are_quoted_as_DbConnectionStringBuilder_quotes_them()
    {
        foreach (var value in new[] { "a", "a b", "a;b", "a=b", "it's", "say \"hi\"", "'\"", " ", "ü", "{", "\t" })
        {
            var ours = new PgConnectionStringBuilder { Password = value };
            var theirs = new DbConnectionStringBuilder { ["Password"] = value };
            Assert.That(ours.ConnectionString, Is.EqualTo(theirs.ConnectionString));
            Assert.That(((DbConnectionStringBuilder)ours).ConnectionString, Is.EqualTo(theirs.ConnectionString));
        }
    }

    [TestCase("Password='a;b'", "a;b"), TestCase("Password=\"a;b\"", "a;b"), TestCase("Password='it''s'", "it's")]
    [TestCase("Password=\"a\"\"b\"", "a\"b")]
    [TestCase("Password=a'b", "a'b"), TestCase("Password=a=b", "a=b"), TestCase("  Password  =  a b  ;", "a b")]
    [TestCase("Password='  a '  ;Port=1", "  a ")]
    public void Quoting_follows_ADO_NET(string text, string password) =>
        Assert.That(new PgConnectionStringBuilder(text).Password, Is.EqualTo(password));

    [Test]
    public void Generic_code_can_use_it_as_a_DbConnectionStringBuilder()
    {
        DbConnectionStringBuilder builder = new PgConnectionStringBuilder();
        builder.ConnectionString = "server=a;port=7";
        builder.Add("DB", "shop");

        Assert.That(builder.ConnectionString, Is.EqualTo("Host=a;Port=7;Database=shop"));
        Assert.That(builder["Database"], Is.EqualTo("shop"));
        Assert.That(() => builder.ConnectionString = "Host=b;Port=x", Throws.ArgumentException.With.Message.Contains("'Port' to 'x'"));
        Assert.That(builder.ConnectionString, Is.EqualTo("Host=a;Port=7;Database=shop"));
    }

    [Test]
    public void It_is_a_dictionary_of_the_keywords_that_are_set()
    {
        IDictionary<string, object?> dictionary = new PgConnectionStringBuilder("Host=a");
        dictionary.Add("port", "7");
        dictionary.Add(new("SslMode", SslMode.Require));

        Assert.That(dictionary.Keys, Is.EqualTo(new[] { "Host", "Port", "SSL Mode" }));
        Assert.That(dictionary.Values, Is.EqualTo(new object[] { "a", 7, SslMode.Require }));
        Assert.That(dictionary.ToArray()[1], Is.EqualTo(new KeyValuePair<string, object?>("Port", 7)));
        Assert.That(dictionary.Contains(new("Port", 7)) && !dictionary.Contains(new("Port", 8)) && !dictionary.Contains(new("Pooling", true)), Is.True);
        Assert.That(dictionary.Remove(new KeyValuePair<string, object?>("Port", 8)), Is.False);
        Assert.That(dictionary.Remove(new KeyValuePair<string, object?>("Port", 7)), Is.True);
        Assert.That(dictionary.Count, Is.EqualTo(2));
    }

    [Test]
    public void It_works_in_the_initializer_that_ADO_NET_users_write()
    {
        var builder = new PgConnectionStringBuilder { { "Host", "a" }, { "Port", 7 } };

        Assert.That(builder.ConnectionString, Is.EqualTo("Host=a;Port=7"));
    }
}
