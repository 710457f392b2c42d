namespace Loxo.IntegrationTests.Poolers;

/// <summary>Before the server behind it is removed.</summary>
[SetUpFixture]
public class PoolerSetUp
{
    [OneTimeTearDown]
    public void RemovePooler() => PgBouncer.RemoveShared();
}
