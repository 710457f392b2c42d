using Loxo.IntegrationTests.Server;

/// <summary>In no namespace, so that NUnit runs it once for the whole assembly.</summary>
[SetUpFixture]
public partial class ServerSetUp
{
    [OneTimeTearDown]
    public void RemoveServers()
    {
        try
        {
            EndSuite();
        }
        finally
        {
            TestServer.RemoveAll();
        }
    }

    // Only the integration tests have one.
    partial void EndSuite();
}
