namespace Loxo.DapperTests;

/// <summary>The same programs over Dapper on Loxo and on Npgsql.</summary>
[TestFixture(WaitMode.Blocking, ""), TestFixture(WaitMode.Async, "")]
[TestFixture(WaitMode.Blocking, ";Multiplexing=true"), TestFixture(WaitMode.Async, ";Multiplexing=true")]
public class BesideNpgsqlTests(WaitMode mode, string keywords)
{
    private PgDataSource _dataSource = null!;

    private static IEnumerable<DapperProgram> All => [.. Programs.WithoutRegistration, .. Programs.WithRegistration];

    [OneTimeSetUp]
    public void CreateDataSource() => _dataSource = PgDataSource.Create(TestServer.Default.ConnectionString + keywords);

    [OneTimeTearDown]
    public ValueTask Dispose() => _dataSource.DisposeAsync();

    [TestCaseSource(nameof(All))]
    public async Task A_program_gives_the_same_result(DapperProgram program)
    {
        await using var connection = _dataSource.CreateConnection();
        await mode.Open(connection);

        Assert.That(await program.Run(connection, mode), Is.EqualTo(Drivers.Expected(program, mode)));
    }

    [TestCaseSource(nameof(All))]
    public async Task Dapper_opens_and_closes_a_closed_connection(DapperProgram program)
    {
        await using var connection = _dataSource.CreateConnection();

        Assert.That(await program.Run(connection, mode), Is.EqualTo(Drivers.Expected(program, mode)));
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
    }
}
