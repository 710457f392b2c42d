using Loxo.Pool;

namespace Loxo.IntegrationTests.Pool;

/// <summary>A test of what the audit says about objects that are made in a transaction, which is rolled back.</summary>
public abstract class DatabaseAuditTest : OwnDatabase
{
    internal static readonly (string? Name, string? Reason) Nothing = (null, null);

    [SetUp]
    public void Begin() => Execute("BEGIN");

    [TearDown]
    public void RollBack() => Execute("ROLLBACK");

    internal (string? Name, string? Reason) Found() => Audit() is var verdict ? (verdict.Name, verdict.Reason) : Nothing;

    internal DatabaseAuditVerdict Audit()
    {
        using var command = new PgCommand(DatabaseAudit.Query, Connection);
        using var reader = command.ExecuteReader();
        Assert.That(reader.Read(), Is.True);
        var verdict = DatabaseAuditVerdict.Of(
            [Text(reader, 0), Text(reader, 1), Truth(reader, 2), Text(reader, 3), Text(reader, 4), Truth(reader, 5), Truth(reader, 6), Text(reader, 7), Truth(reader, 8)]);
        Assert.That(reader.Read(), Is.False, "one row");
        return verdict;
    }

    private static string? Text(PgDataReader reader, int column) => reader.IsDBNull(column) ? null : reader.GetString(column);

    private static string Truth(PgDataReader reader, int column) => reader.GetBoolean(column) ? "t" : "f";
}
