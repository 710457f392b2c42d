using System.Text.RegularExpressions;
using NUnit.Framework.Interfaces;

[assembly: Loxo.IntegrationTests.Poolers.SkipsWhatNeedsASession]

namespace Loxo.IntegrationTests.Poolers;

/// <summary>
/// Sends the ordinary tests through pgbouncer where <c>LOXO_TEST_POOLER=Transaction</c> says so: in transaction mode, with <c>Pooler=Transaction</c>.
/// Tests that make connection strings of their own, for a proxy or another server, go past it.
/// </summary>
internal static partial class PoolerOfTheRun
{
    private const string List = "Poolers/needs-session.txt";

    private static readonly string Name = Environment.GetEnvironmentVariable("LOXO_TEST_POOLER") ?? "";

    private static readonly Lazy<List<(string Test, string Reason)>> Entries = new(Read);

    private static readonly Lazy<string> Through = new(Detour);

    private static bool _hasObjects;

    public static bool IsThere => Name.Length > 0;

    /// <summary>The shared server's, through the pooler if there is one.</summary>
    public static string ConnectionString =>
        IsThere ? Through.Value : TestServer.Default.ConnectionString;

    /// <summary>
    /// Most tests with a temporary table are about something else: behind the pooler their tables, and what they create in pg_temp, are in a schema
    /// of the run, at the end of every session's search path, which is emptied after the test.
    /// </summary>
    public static string Adapt(string sql)
    {
        if (!IsThere || !TemporaryObject().IsMatch(sql) || sql.Contains("ON COMMIT DROP", StringComparison.OrdinalIgnoreCase))
            return sql;
        _hasObjects = true;
        return TemporaryObject().Replace(sql, match => match.Value == "pg_temp." ? "temporary." : $"CREATE {match.Groups["kind"]}temporary.");
    }

    /// <summary>Empties the schema of temporary objects.</summary>
    public static void DropTemporaryObjects()
    {
        if (!_hasObjects)
            return;
        _hasObjects = false;
        RunAside("DROP SCHEMA temporary CASCADE; CREATE SCHEMA temporary");
    }

    /// <summary>Why a test cannot pass through the pooler; null if it can.</summary>
    /// <param name="fullName">The test's, with its namespace.</param>
    public static string? Reason(string fullName) =>
        Entries.Value.Find(entry => fullName.Contains('.' + entry.Test, StringComparison.Ordinal)).Reason;

    [GeneratedRegex(@"CREATE TEMP(ORARY)? (?<kind>(TABLE|SEQUENCE|VIEW) (IF NOT EXISTS )?)|pg_temp\.", RegexOptions.IgnoreCase)]
    private static partial Regex TemporaryObject();

    private static string Detour()
    {
        RunAside("CREATE SCHEMA temporary; ALTER DATABASE postgres SET search_path = \"$user\", public, temporary");
        return $"{PgBouncer.Shared.ConnectionString(PgBouncer.Suite)};Pooler={Enum.Parse<Pooler>(Name)}";
    }

    private static void RunAside(string sql)
    {
        using var connection = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false");
        connection.Open();
        using var command = new PgCommand(sql, connection);
        command.ExecuteNonQuery();
    }

    // Each line is part of a test's name, which ./test uses in a filter, and the reason.
    private static List<(string Test, string Reason)> Read()
    {
        using var list = new StreamReader(typeof(PoolerOfTheRun).Assembly.GetManifestResourceStream(List)!);
        return [.. list.ReadToEnd().Split('\n').Where(line => line.Length > 0 && line[0] != '#').Select(line => (line.Split(' ')[0], Rest(line)))];

        static string Rest(string line) => line[(line.IndexOf(' ', StringComparison.Ordinal) + 1)..].Trim();
    }
}

/// <summary>Ignores, in a run through the pooler, the tests of the list, each with its reason.</summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class SkipsWhatNeedsASessionAttribute : TestActionAttribute
{
    public override ActionTargets Targets => ActionTargets.Test;

    public override void BeforeTest(ITest test)
    {
        if (PoolerOfTheRun.IsThere && PoolerOfTheRun.Reason(test.FullName) is { } reason)
            Assert.Ignore("A pooler in transaction mode gives each transaction another server process: " + reason);
    }
}
