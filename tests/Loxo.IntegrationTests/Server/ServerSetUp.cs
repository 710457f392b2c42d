using Loxo.IntegrationTests.Server;

/// <summary>In no namespace, so that NUnit runs it once for the whole assembly.</summary>
[SetUpFixture]
public class ServerSetUp
{
    [OneTimeTearDown]
    public void RemoveServers()
    {
        try
        {
            // Of the last test, behind which no other one looks.
            LeakGuard.AssertSharedDatabaseIsClean();
        }
        finally
        {
            TestServer.RemoveAll();
        }
    }
}
