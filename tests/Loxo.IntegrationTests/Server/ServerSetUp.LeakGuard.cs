using Loxo.IntegrationTests.Server;

public partial class ServerSetUp
{
    // For the last test: each other one is checked by its successor.
    partial void CheckSharedDatabase() => LeakGuard.AssertSharedDatabaseIsClean();
}
