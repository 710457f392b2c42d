using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Copy;

/// <summary>Rows for a table whose disk has no room for them: a tablespace of a few megabytes in memory.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class FullDiskTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Mount = "/bin/mount";
    private const int Wanted = 200_000;

    private readonly string _space = "full_" + Guid.NewGuid().ToString("N")[..10];
    private string _folder = "";

    private sealed record Row(int Id, string Name);

    private static IEnumerable<Row> Source => Enumerable.Range(0, Wanted).Select(i => new Row(i, $"a row that takes some room {i}"));

    [OneTimeSetUp]
    public void MountDisk()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
            Assert.Ignore("Only root on Linux mounts a small disk.");
        _folder = Directory.CreateTempSubdirectory("loxo-full-disk-").FullName;
        using var connection = new PgConnection(TestServer.Default.ConnectionString);
        connection.Open();
        var data = (string)new PgCommand("SHOW data_directory", connection).ExecuteScalar()!;
        var owner = DebianPackage.Run("/usr/bin/stat", null, "-c", "%u", data).Output.Trim();
        var (succeeded, output) = DebianPackage.Run(Mount, null, "-t", "tmpfs", "-o", $"size=3m,mode=0700,uid={owner}", "tmpfs", _folder);
        if (!succeeded)
        {
            Directory.Delete(_folder);
            _folder = "";
            Assert.Ignore("This system lets nobody mount a small disk: " + output);
        }
        new PgCommand($"CREATE TABLESPACE {_space} LOCATION '{_folder}'", connection).ExecuteNonQuery();
    }

    [OneTimeTearDown]
    public void UnmountDisk()
    {
        if (_folder.Length == 0)
            return;
        using (var connection = new PgConnection(TestServer.Default.ConnectionString))
        {
            connection.Open();
            // The files of tables that were dropped stay until a checkpoint.
            new PgCommand("CHECKPOINT", connection).ExecuteNonQuery();
            new PgCommand($"DROP TABLESPACE {_space}", connection).ExecuteNonQuery();
        }
        Assert.That(DebianPackage.Run("/bin/umount", null, _folder), Is.EqualTo((true, "")));
        Directory.Delete(_folder);
    }

    [SetUp]
    public Task CreateTable() => Execute($"CREATE TABLE {_space} (id int, name text) TABLESPACE {_space}");

    [TearDown]
    public Task DropTable() => Execute($"DROP TABLE {_space}");

    [Test]
    public Task An_import_copies_nothing() => AssertNothingIsCopied(async () =>
    {
        var sql = $"COPY {_space} FROM STDIN (FORMAT binary)";
        var importer = await Mode.Run(() => Connection.BeginBinaryImport(sql), () => Connection.BeginBinaryImportAsync(sql));
        try
        {
            foreach (var row in Source)
                await Mode.Run(() => importer.WriteRow(row.Id, row.Name), () => importer.WriteRowAsync(default, row.Id, row.Name));
            await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask());
        }
        finally
        {
            await Mode.Dispose(importer);
        }
    });

    [Test]
    public Task A_text_import_copies_nothing() => AssertNothingIsCopied(async () =>
    {
        var sql = $"COPY {_space} FROM STDIN";
        await using var writer = await Mode.Run(() => Connection.BeginTextImport(sql), () => Connection.BeginTextImportAsync(sql));
        writer.CompletesOnDispose = false;
        foreach (var row in Source)
        {
            var line = $"{row.Id}\t{row.Name}";
            await Mode.Run(() => writer.WriteLine(line), () => writer.WriteLineAsync(line));
        }
        await Mode.Run(writer.Complete, () => writer.CompleteAsync().AsTask());
    });

    [Test]
    public Task A_bulk_copy_copies_nothing([Values] bool rejects) => AssertNothingIsCopied(async () =>
    {
        var bulk = new PgBulkCopy(Connection) { DestinationTableName = _space, BatchSize = 1000, MaxRejectedRows = rejects ? Wanted : 0 };
        await Mode.Run(() => bulk.WriteToServer(Source), () => bulk.WriteToServerAsync(Source));
    });

    [Test]
    public Task An_ordinary_command_inserts_nothing() =>
        AssertNothingIsCopied(() => Execute($"INSERT INTO {_space} SELECT i, 'a row that takes some room ' || i FROM generate_series(1, {Wanted}) i"));

    private async Task AssertNothingIsCopied(Func<Task> copy)
    {
        var process = Connection.ProcessID;
        var error = await Catch<PostgresException>(copy);
        Assert.That((error.SqlState, error.IsTransient), Is.EqualTo((SqlStates.DiskFull, true)));
        Assert.That(error.Message, Does.Contain("No space left on device"));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_space}"), Is.Zero);
        Assert.That(Connection.ProcessID, Is.EqualTo(process));
        await AssertUsable();
    }
}
