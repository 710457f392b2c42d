using System.ComponentModel;
using System.Reflection;
using Loxo.Migration;
using Npgsql;

namespace Loxo.MigrationTests;

/// <summary>Keywords of connection strings that Loxo refuses are reported where a literal has them.</summary>
public sealed class KeywordTests
{
    [TestCase("\"Host=h;Encoding=latin1\"", "Encoding")]
    [TestCase("\"clientencoding=latin1;host=h\"", "clientencoding")]
    [TestCase("$\"Host={1};Client Encoding=latin1;Username=u\"", "Client Encoding")]
    [TestCase("\"Host=h;SSL Negotiation=Direct\"", null)]
    [TestCase("\"Client Encoding=latin1\"", null)]
    [TestCase("\"The Host is h; Client Encoding: latin1\"", null)]
    public async Task A_refused_keyword_is_reported(string literal, string? marked)
    {
        var project = Migration.Project(Migration.BothDrivers, ("C.cs", $"class C {{ string F = {literal}; }}"));

        var diagnostics = await Migration.Diagnose(project);

        Assert.That(diagnostics.Select(one => one.Location.SourceTree!.ToString().Substring(one.Location.SourceSpan.Start, one.Location.SourceSpan.Length)),
            Is.EqualTo(marked is null ? [] : new[] { marked }));
        Assert.That(diagnostics.Select(one => one.Id), Is.All.EqualTo(MigrationAnalyzer.MissingId));
    }

    [Test]
    public async Task A_refused_keyword_is_reported_where_its_property_is_set()
    {
        const string Source = "class C { object F = new Npgsql.NpgsqlConnectionStringBuilder { ClientEncoding = \"latin1\", Port = 5 }; }";

        var missing = (await Migration.Diagnose(Migration.Project(Migration.BothDrivers, ("C.cs", Source)))).Where(one => one.Id == MigrationAnalyzer.MissingId);

        Assert.That(missing.Select(one => one.GetMessage()),
            Is.EqualTo(new[] { "'NpgsqlConnectionStringBuilder.ClientEncoding' has no counterpart in Loxo: Loxo exchanges text as UTF-8 only." }));
    }

    [TestCaseSource(nameof(Keywords))]
    public void The_list_has_what_Loxo_refuses(string keyword, string value)
    {
        var connectionString = $"Host=h;{Needed(keyword)}{keyword}={value}";
        Assert.That(() => new NpgsqlConnectionStringBuilder(connectionString), Throws.Nothing);

        Assert.That(Differences.Instance.Keywords.Any(one => one.Refuses(keyword, value)), Is.EqualTo(IsRefused(connectionString)), connectionString);
    }

    [Test]
    public void Each_row_of_the_list_is_a_keyword_of_Npgsql() => Assert.That(
        Differences.Instance.Keywords.Where(row => !Keywords().Any(one => row.Refuses((string)one[0], (string)one[1]))).Select(row => row.Keyword), Is.Empty);

    private static bool IsRefused(string connectionString)
    {
        try
        {
            using var connection = new PgConnection(connectionString);
            using var dataSource = PgDataSource.Create(connectionString);
            return false;
        }
        catch (Exception e) when (e is NotSupportedException or ArgumentException)
        {
            return true;
        }
    }

    // What a keyword does not make sense without.
    private static string Needed(string keyword) => keyword.Replace(" ", "", StringComparison.Ordinal).ToUpperInvariant() switch
    {
        "SSLNEGOTIATION" => "SSL Mode=Require;",
        "SSLKEY" => "SSL Certificate=c;",
        var other => other.StartsWith("TCP", StringComparison.Ordinal) ? "TCP Keepalive Time=9;" : "",
    };

    // Every spelling of every keyword, with values that are not the default.
    private static IEnumerable<object[]> Keywords() =>
        from property in typeof(NpgsqlConnectionStringBuilder).GetProperties()
        let attribute = property.GetCustomAttributes().SingleOrDefault(one => one.GetType().Name == "NpgsqlConnectionStringPropertyAttribute")
        where attribute is not null && property.Name is not ("Host" or "Passfile")
        let display = property.GetCustomAttribute<DisplayNameAttribute>()!.DisplayName
        let synonyms = (string[])attribute.GetType().GetProperty("Synonyms")!.GetValue(attribute)!
        from keyword in synonyms.Append(display).Append(property.Name).Distinct()
        from value in Values(property)
        select new object[] { keyword, value };

    private static string[] Values(PropertyInfo property) => property.Name switch
    {
        "TargetSessionAttributes" => ["primary", "prefer-standby"],
        "RequireAuth" => ["GSS", "SSPI", "ScramSHA256"],
        "Port" or "ReadBufferSize" or "WriteBufferSize" => ["8000"],
        _ when property.PropertyType == typeof(bool) => ["true"],
        _ when property.PropertyType == typeof(int) => ["5"],
        _ when property.PropertyType.IsEnum => Enum.GetNames(property.PropertyType),
        _ => ["x"],
    };
}
