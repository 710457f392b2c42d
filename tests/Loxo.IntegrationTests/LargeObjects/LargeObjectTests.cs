using System.Diagnostics;

namespace Loxo.IntegrationTests.LargeObjects;

/// <summary>Large objects, compared with what the server's lo_get and psql's \lo_export say.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class LargeObjectTests(WaitMode mode) : DatabaseTest(mode)
{
    private PgLargeObjectManager Manager => new(Connection) { MaxTransferBlockSize = 1000 };

    [Test]
    public async Task What_is_written_is_what_the_server_and_psql_have()
    {
        var bytes = Bytes(123_457);
        uint oid;
        await using (var transaction = Connection.BeginTransaction())
        {
            oid = await Create();
            await using (var stream = await OpenReadWrite(oid))
            {
                await Write(stream, bytes.AsMemory(0, 100_000));
                await Write(stream, bytes.AsMemory(100_000));
                Assert.That(stream.Position, Is.EqualTo(bytes.Length));
            }
            await Mode.Commit(transaction);
        }
        Assert.That(await Scalar<byte[]>("SELECT lo_get($1)", Oid(oid)), Is.EqualTo(bytes));
        Assert.That(await ExportByPsql(oid), Is.EqualTo(bytes));

        await using (Connection.BeginTransaction())
        {
            await using var stream = await OpenRead(oid);
            using var copy = new MemoryStream();
            await Mode.Run(() => stream.CopyTo(copy, 7777), () => stream.CopyToAsync(copy, 7777));
            Assert.That(copy.ToArray(), Is.EqualTo(bytes));
        }
        await Mode.Run(() => Manager.Unlink(oid), () => Manager.UnlinkAsync(oid));
        Assert.That((await Catch<PostgresException>(() => Scalar<byte[]>("SELECT lo_get($1)", Oid(oid)))).SqlState, Is.EqualTo(PostgresErrorCodes.UndefinedObject));
    }

    [Test]
    public async Task Seeking_overwriting_and_truncating_act_as_on_a_file()
    {
        using var file = new MemoryStream();
        var random = new Random(20260101);
        await using var transaction = Connection.BeginTransaction();
        var oid = await Create();
        await using var stream = await OpenReadWrite(oid);
        for (var step = 0; step < 150; step++)
        {
            switch (random.Next(5))
            {
                case 0:
                    var bytes = Bytes(random.Next(3000), step);
                    file.Write(bytes);
                    await Write(stream, bytes);
                    break;
                case 1:
                    var position = random.Next((int)file.Length + 500);
                    file.Position = position;
                    Assert.That(await Seek(stream, position, SeekOrigin.Begin), Is.EqualTo(position));
                    break;
                case 2:
                    var offset = -random.Next((int)Math.Min(file.Position, file.Length) + 1);
                    var origin = random.Next(2) == 0 && file.Position >= -offset ? SeekOrigin.Current : SeekOrigin.End;
                    Assert.That(await Seek(stream, offset, origin), Is.EqualTo(file.Seek(offset, origin)));
                    break;
                case 3:
                    var length = random.Next((int)file.Length + 1000);
                    var before = file.Position;
                    file.SetLength(length);
                    file.Position = before;
                    await Mode.Run(() => stream.SetLength(length), () => stream.SetLength(length, CancellationToken.None));
                    break;
                default:
                    var (mine, theirs) = (new byte[random.Next(2500)], new byte[0]);
                    Array.Resize(ref theirs, mine.Length);
                    var count = file.Read(mine);
                    Assert.That(await Read(stream, theirs), Is.EqualTo(count));
                    Assert.That(theirs, Is.EqualTo(mine));
                    break;
            }
            Assert.That(stream.Position, Is.EqualTo(file.Position));
            Assert.That(await Mode.Run(() => stream.Length, () => stream.GetLengthAsync()), Is.EqualTo(file.Length));
        }
        Assert.That(await Scalar<byte[]>("SELECT lo_get($1)", Oid(oid)), Is.EqualTo(file.ToArray()));
    }

    [Test]
    public async Task Positions_of_more_than_32_bits_are_reached()
    {
        const long Far = 3L * 1024 * 1024 * 1024 * 1024;
        await using var transaction = Connection.BeginTransaction();
        var oid = await Create();
        await using var stream = await OpenReadWrite(oid);
        Assert.That((Manager.Has64BitSupport, stream.Has64BitSupport), Is.EqualTo((true, true)));
        Assert.That(await Seek(stream, Far, SeekOrigin.Begin), Is.EqualTo(Far));
        await Write(stream, new byte[] { 1, 2, 3 });
        Assert.That(await Mode.Run(() => stream.Length, () => stream.GetLengthAsync()), Is.EqualTo(Far + 3));
        Assert.That(await Scalar<byte[]>("SELECT lo_get($1, $2, 3)", Oid(oid), Far), Is.EqualTo(new byte[] { 1, 2, 3 }));
        await Mode.Run(() => stream.SetLength(Far + 1), () => stream.SetLength(Far + 1, CancellationToken.None));
        Assert.That(await Mode.Run(() => stream.Length, () => stream.GetLengthAsync()), Is.EqualTo(Far + 1));
    }

    [Test]
    public async Task Files_of_the_server_are_imported_and_exported()
    {
        var folder = Directory.CreateTempSubdirectory("loxo-lo-");
        try
        {
            if (!OperatingSystem.IsWindows())
                File.SetUnixFileMode(folder.FullName, (UnixFileMode)Convert.ToInt32("777", 8));
            var (source, target) = (Path.Combine(folder.FullName, "source"), Path.Combine(folder.FullName, "target"));
            var bytes = Bytes(54_321);
            await File.WriteAllBytesAsync(source, bytes);
            if (!OperatingSystem.IsWindows())
                File.SetUnixFileMode(source, (UnixFileMode)Convert.ToInt32("644", 8));

            var oid = await Mode.Run(() => Manager.ImportRemote(source), () => Manager.ImportRemoteAsync(source, 0));
            await Mode.Run(() => Manager.ExportRemote(oid, target), () => Manager.ExportRemoteAsync(oid, target));

            Assert.That(await Scalar<byte[]>("SELECT lo_get($1)", Oid(oid)), Is.EqualTo(bytes));
            Assert.That(await Scalar<byte[]>("SELECT pg_read_binary_file($1)", target), Is.EqualTo(bytes));
            await Mode.Run(() => Manager.Unlink(oid), () => Manager.UnlinkAsync(oid));
            Assert.That(await Mode.Run(() => Manager.ImportRemote(source, oid), () => Manager.ImportRemoteAsync(source, oid)), Is.EqualTo(oid));
            await Mode.Run(() => Manager.Unlink(oid), () => Manager.UnlinkAsync(oid));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Test]
    public async Task An_oid_may_be_chosen_once()
    {
        await using var transaction = Connection.BeginTransaction();
        var free = await Create();
        await Mode.Run(() => Manager.Unlink(free), () => Manager.UnlinkAsync(free));
        Assert.That(await Mode.Run(() => Manager.Create(free), () => Manager.CreateAsync(free)), Is.EqualTo(free));
        var error = await Catch<PostgresException>(() => Mode.Run(() => Manager.Create(free), () => Manager.CreateAsync(free)));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
    }

    [Test]
    public async Task What_cannot_work_says_so_and_costs_nothing()
    {
        var oid = await Create();
        var error = await Catch<InvalidOperationException>(() => OpenRead(oid));
        Assert.That(error.Message, Does.Contain("BeginTransaction"));
        await using (var transaction = Connection.BeginTransaction())
        {
            var stream = await OpenRead(oid);
            Assert.That((stream.CanRead, stream.CanWrite, stream.CanSeek, stream.CanTimeout), Is.EqualTo((true, false, true, false)));
            await Catch<NotSupportedException>(() => Write(stream, new byte[1]));
            await Catch<NotSupportedException>(() => Mode.Run(() => stream.SetLength(1), () => stream.SetLength(1, CancellationToken.None)));
            Assert.That(() => stream.Position = -1, Throws.InstanceOf<ArgumentOutOfRangeException>());
            Assert.That(() => stream.Read(new byte[2], 1, 2), Throws.InstanceOf<ArgumentException>());
            await Mode.Dispose(stream);
            await Mode.Dispose(stream);
            Assert.That((stream.CanRead, stream.CanSeek), Is.EqualTo((false, false)));
            await Catch<ObjectDisposedException>(() => Read(stream, new byte[1]));
            await Mode.Commit(transaction);
        }
        Assert.That(() => Manager.MaxTransferBlockSize = 0, Throws.InstanceOf<ArgumentOutOfRangeException>());
        await Mode.Run(() => Manager.Unlink(oid), () => Manager.UnlinkAsync(oid));
        await AssertUsable();
    }

    [Test]
    public async Task A_stream_may_be_closed_after_its_transaction_has_ended_or_failed([Values("commit", "rollback", "failure")] string end)
    {
        var oid = await Create();
        var transaction = Connection.BeginTransaction();
        var stream = await OpenRead(oid);
        if (end == "commit")
            await Mode.Commit(transaction);
        else if (end == "rollback")
            await Mode.Rollback(transaction);
        else
            await Catch<PostgresException>(() => Execute("SELECT 1/0"));
        await Mode.Dispose(stream);
        await Mode.Dispose(transaction);
        await Mode.Run(() => Manager.Unlink(oid), () => Manager.UnlinkAsync(oid));
        await AssertUsable();
    }

    [Test]
    public async Task A_rolled_back_change_has_not_happened()
    {
        var oid = await Create();
        await using (Connection.BeginTransaction())
        {
            await using var stream = await OpenReadWrite(oid);
            await Write(stream, Bytes(5000));
        }
        Assert.That(await Scalar<byte[]>("SELECT lo_get($1)", Oid(oid)), Is.Empty);
        await Mode.Run(() => Manager.Unlink(oid), () => Manager.UnlinkAsync(oid));
    }

    private static byte[] Bytes(int count, int seed = 1)
    {
        var bytes = new byte[count];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private static PgParameter Oid(uint oid) => new() { Value = oid, PgDbType = PgDbType.Oid };

    private Task<uint> Create() => Mode.Run(() => Manager.Create(), () => Manager.CreateAsync(0));

    private Task<PgLargeObjectStream> OpenRead(uint oid) => Mode.Run(() => Manager.OpenRead(oid), () => Manager.OpenReadAsync(oid));

    private Task<PgLargeObjectStream> OpenReadWrite(uint oid) =>
        Mode.Run(() => Manager.OpenReadWrite(oid), () => Manager.OpenReadWriteAsync(oid));

    private Task<long> Seek(PgLargeObjectStream stream, long offset, SeekOrigin origin) =>
        Mode.Run(() => stream.Seek(offset, origin), () => stream.SeekAsync(offset, origin));

    private Task<int> Read(PgLargeObjectStream stream, byte[] buffer) =>
        Mode.Run(() => stream.Read(buffer), async () => await stream.ReadAsync(buffer));

    private Task Write(PgLargeObjectStream stream, ReadOnlyMemory<byte> bytes) =>
        Mode.Run(() => stream.Write(bytes.Span), async () => await stream.WriteAsync(bytes));

    // psql of any version reads the objects of any other.
    private static async Task<byte[]> ExportByPsql(uint oid)
    {
        var psql = Directory.EnumerateDirectories("/usr/lib/postgresql").Select(folder => Path.Combine(folder, "bin", "psql")).FirstOrDefault(File.Exists);
        if (psql is null)
            Assert.Ignore("There is no psql below /usr/lib/postgresql to compare with.");
        var file = Path.Combine(Path.GetTempPath(), "loxo-lo-" + Guid.NewGuid().ToString("N"));
        var server = new PgConnectionStringBuilder(TestServer.Default.ConnectionString);
        using var process = Process.Start(new ProcessStartInfo(psql,
        [
            "-X", "-q", "-h", TestServer.Default.Host, "-p", $"{TestServer.Default.Port}", "-U", server.Username!, "-d", server.Database!,
            "-c", $"\\lo_export {oid} {file}",
        ]) { RedirectStandardError = true })!;
        var errors = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.That(process.ExitCode, Is.Zero, errors);
        var bytes = await File.ReadAllBytesAsync(file);
        File.Delete(file);
        return bytes;
    }
}
