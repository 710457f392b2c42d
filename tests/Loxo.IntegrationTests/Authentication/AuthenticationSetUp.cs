namespace Loxo.IntegrationTests.Authentication;

[SetUpFixture]
public class AuthenticationSetUp
{
    [OneTimeTearDown]
    public void RemoveServers()
    {
        KerberosRealm.RemoveShared();
        OAuthServer.RemoveShared();
        DirectoryServer.RemoveShared();
    }
}
