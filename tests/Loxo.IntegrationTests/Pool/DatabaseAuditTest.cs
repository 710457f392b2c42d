using Loxo.Pool;

namespace Loxo.IntegrationTests.Pool;

/// <summary>A test of what the audit says about objects that are made in a transaction, which is rolled back.</summary>
public abstract class DatabaseAuditTest : OwnDatabase
{
    [SetUp]
    public void Begin() => Execute("BEGIN");

    [TearDown]
    public void RollBack() => Execute("ROLLBACK");

    internal DatabaseAuditVerdict Audit()
    {
        using var command = new PgCommand(DatabaseAudit.Query, Connection);
        using var reader = command.ExecuteReader();
        if (!reader.Read())
            return DatabaseAuditVerdict.Clean;
        var verdict = DatabaseAuditVerdict.Offending(reader.GetString(0), reader.GetString(1));
        Assert.That(reader.Read(), Is.False, "at most one row");
        return verdict;
    }
}
