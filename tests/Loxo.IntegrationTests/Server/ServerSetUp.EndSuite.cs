using Loxo.IntegrationTests.Poolers;
using Loxo.IntegrationTests.Server;

public partial class ServerSetUp
{
    // The database is checked for the last test: each other one is checked by its successor.
    partial void EndSuite()
    {
        PgBouncer.RemoveShared();
        LeakGuard.AssertSharedDatabaseIsClean();
    }
}
