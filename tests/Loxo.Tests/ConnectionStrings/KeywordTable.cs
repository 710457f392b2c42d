using System.ComponentModel;
using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Loxo.Settings;
using Loxo.Tests.Architecture;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Npgsql;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>The tables of docs/connection-strings.md, made of the driver's table, of the documentation of its properties, and of Npgsql's builder.</summary>
internal static partial class KeywordTable
{
    // The variables that Npgsql 10 reads.
    private static readonly string[] _npgsqlReads =
    [
        "PGUSER", "PGPASSWORD", "PGPASSFILE", "PGSSLCERT", "PGSSLKEY", "PGSSLROOTCERT", "PGCLIENTENCODING", "PGTZ", "PGOPTIONS", "PGTARGETSESSIONATTRS",
        "PGSSLNEGOTIATION", "PGGSSENCMODE", "PGREQUIREAUTH", "PGAPPNAME",
    ];

    // What neither the absence of a property nor another default says.
    private static readonly Dictionary<string, string> _differences = new()
    {
        ["Host"] = "required",
        ["Require Auth"] = "takes no spellings of libpq's",
        ["SSL Mode"] = "takes no spellings of libpq's",
        ["Minimum Pool Size"] = "only stops pruning",
        ["Connection Idle Lifetime"] = "at least the pruning interval; counts for the pool as a whole",
        ["Connection Lifetime"] = "exact; looked at when a connection is taken",
        ["Connection Pruning Interval"] = "how often the use of the pool is sampled",
        ["Keepalive"] = "a thread waits for the answer",
        ["TCP Keepalive Interval"] = "needs the time",
        ["No Reset On Close"] = "resets when a connection is taken, not when it is given back",
        ["Max Auto Prepare"] = "a warning above 256",
        ["Client Encoding"] = "takes any encoding",
        ["Encoding"] = "takes any encoding of .NET",
    };

    private static readonly Dictionary<string, string> _meanings = Meanings();

    private static readonly Dictionary<string, string> _parameters = new()
    {
        ["min_protocol_version"] = "The oldest version of the protocol that is spoken. The default is 3.0.",
        ["max_protocol_version"] = "The newest version of the protocol that is asked for; `latest` is 3.2. The default is 3.0. See [logging in](authentication.md#versions-of-the-protocol).",
        ["oauth_issuer"] = "The issuer of OAuth tokens, or the address of its discovery document: a server that names another one is refused. See [logging in](authentication.md#oauth).",
        ["oauth_client_id"] = "Handed to the function of `UseOAuthTokenProvider`.",
        ["oauth_client_secret"] = "Handed to it, too.",
        ["oauth_scope"] = "Handed to it instead of the scopes that the server names.",
        ["sslcertmode"] = "Whether the client's certificate is shown: never, to a server that asks for it (the default), or must be asked for. See [TLS](tls.md).",
        ["sslcrl"] = "A PEM file with lists of revoked certificates, which the server's certificate is looked up in. See [TLS](tls.md#revoked-certificates).",
        ["sslcrldir"] = "A directory with such files.",
        ["sslsni"] = "Whether the TLS handshake tells the server the host name (SNI). The default is True.",
        ["ssl_min_protocol_version"] = "The oldest version of TLS that is used. Versions before TLSv1.2 never are.",
        ["requirepeer"] = "The operating-system user that must run the server at a Unix socket. See [logging in](authentication.md#the-server-at-a-unix-socket).",
        ["gssdelegation"] = "Whether the server may act with the client's Kerberos ticket. The default is False. See [logging in](authentication.md#kerberos-gssapi).",
        ["scram_client_key"] = "The key to log in with instead of a password, in base64. See [logging in](authentication.md#scram-keys-instead-of-a-password).",
        ["scram_server_key"] = "The key that the server proves to know, in base64; set both or neither.",
        ["ssl_max_protocol_version"] = "The newest version of TLS that is used.",
    };

    public static string Keywords() => Table(
        ["Keyword", "Synonyms", "libpq", "Environment", "Values", "Default", "Meaning", "Npgsql 10"],
        Settings.Keywords.All.Except(LibpqParameters.All).Select(keyword => new[]
        {
            keyword.Name,
            string.Join(", ", keyword.Synonyms),
            Code(keyword.LibpqName),
            keyword.Variable ?? "",
            Values(keyword),
            Default(keyword),
            _meanings[keyword.Name],
            Difference(keyword),
        }));

    public static string Parameters() => Table(
        ["Parameter", "Environment", "Values", "Meaning"],
        LibpqParameters.All.Select(keyword => new[]
        {
            Code(keyword.Name),
            keyword.Variable ?? "",
            keyword.Limited is { } limited ? limited.Rule : keyword.Values.Replace("one of ", "", StringComparison.Ordinal),
            keyword.Limited is { } feature ? $"Asks for {feature.Feature}, which is not supported."
                : _parameters.GetValueOrDefault(keyword.Name) ?? $"The session's `{keyword.Name}`.",
        }));

    private static string Table(string[] columns, IEnumerable<string[]> rows) =>
        string.Concat(rows.Prepend([.. columns.Select(_ => "---")]).Prepend(columns).Select(row => $"| {string.Join(" | ", row)} |\n"));

    private static string Code(string? name) => name is null ? "" : $"`{name}`";

    private static string Values(Keyword keyword)
    {
        var values = Range().Replace(keyword.Values, "").Replace("one of ", "", StringComparison.Ordinal);
        return keyword.Limited is { } limited ? $"{values}; for now it {limited.Rule}" : values;
    }

    private static string Default(Keyword keyword)
    {
        if (keyword.DefaultText is not { } text)
            return "";
        var unit = Range().Match(keyword.Values).Groups[1].Value;
        return unit is "seconds" or "milliseconds" or "bytes" && text is not ("0" or "-1") ? $"{text} {unit}" : text;
    }

    private static string Difference(Keyword keyword)
    {
        var notes = new List<string>();
        var theirs = typeof(NpgsqlConnectionStringBuilder).GetProperties()
            .FirstOrDefault(property => property.GetCustomAttribute<DisplayNameAttribute>()?.DisplayName == keyword.Name);
        if (theirs is null)
            return "not there";
        var (ours, other) = (Text(keyword.ToObject(null)), Text(theirs.GetValue(new NpgsqlConnectionStringBuilder())));
        if (ours != other && keyword.Name is not ("Kerberos Service Name" or "Target Session Attributes"))
            notes.Add(other.Length == 0 ? "no default" : $"default {other}");
        if (keyword.Variable is { } variable && !_npgsqlReads.Contains(variable))
            notes.Add($"does not read {variable}");
        if (_differences.GetValueOrDefault(keyword.Name) is { } difference)
            notes.Add(difference);
        return string.Join("; ", notes);
    }

    private static string Text(object? value) => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";

    // The summaries of the properties, without what the other columns say.
    private static Dictionary<string, string> Meanings() => new[] { "", ".Keywords" }
        .SelectMany(part => CSharpSyntaxTree.ParseText(Repository.Read($"src/Loxo/PgConnectionStringBuilder{part}.cs")).GetRoot().DescendantNodes())
        .OfType<PropertyDeclarationSyntax>()
        .Where(property => DisplayName().IsMatch(property.AttributeLists.ToString()))
        .ToDictionary(property => DisplayName().Match(property.AttributeLists.ToString()).Groups[1].Value, Summary);

    private static string Summary(PropertyDeclarationSyntax property)
    {
        var comment = string.Join(' ', property.GetLeadingTrivia().ToFullString().Split('\n').Select(line => line.Trim().TrimStart('/').Trim()));
        var summary = XElement.Parse($"<doc>{comment[comment.IndexOf("<summary>", StringComparison.Ordinal)..]}</doc>").Element("summary")!;
        var text = string.Concat(summary.Nodes().Select(node => node switch
        {
            XElement { Name.LocalName: "see" } see => Referred(see.Attribute("cref")!.Value),
            XElement code => $"`{code.Value}`",
            _ => node.ToString(),
        }));
        var sentences = Sentence().Split(Spaces().Replace(text, " ").Trim())
            .Where(sentence => !sentence.StartsWith("Environment:", StringComparison.Ordinal) && !PlainDefault().IsMatch(sentence));
        return System.Net.WebUtility.HtmlDecode(string.Join(' ', sentences)).Replace("|", "\\|", StringComparison.Ordinal);
    }

    // The keyword of a property; the word of anything else.
    private static string Referred(string name) =>
        typeof(PgConnectionStringBuilder).GetProperty(name)?.GetCustomAttribute<DisplayNameAttribute>()?.DisplayName is { } keyword
            ? $"`{keyword}`" : $"`{name.Split('.')[^1]}`";

    [GeneratedRegex("DisplayName\\(\"([^\"]+)\"\\)")]
    private static partial Regex DisplayName();

    [GeneratedRegex("(?<=[.!?]) (?=[A-Z])")]
    private static partial Regex Sentence();

    [GeneratedRegex("^The default is (`?[\\w-]+`?)(; 0[^.]*)?\\.$")]
    private static partial Regex PlainDefault();

    [GeneratedRegex("^a (?:number of )?(\\w+) from ")]
    private static partial Regex Range();

    [GeneratedRegex("\\s+")]
    private static partial Regex Spaces();
}
