using Loxo.Types;

namespace Loxo.IntegrationTests.Types;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CubeTests(WaitMode mode) : DatabaseTest(mode)
{
    private static readonly string[] Cubes = ["(1, 2)", "(1, 2),(3, 4)", "(3),(1)", "()", "(1.5, -2e-07, 1e+15)", "(NaN)", "(NaN),(NaN)", "(1, NaN),(1, NaN)"];

    [SetUp]
    public Task CreateExtension() => Execute("CREATE EXTENSION IF NOT EXISTS cube");

    [TestCaseSource(nameof(Cubes))]
    public async Task The_server_sends_what_the_codec_reads_and_writes(string text)
    {
        var sent = (await Scalar<byte[]>($"SELECT cube_send('{text}'::cube)"))!;
        var cube = new CubeCodec().Read(sent);
        Assert.That(cube, Is.EqualTo(PgCube.Parse(text)));
        Assert.That(cube.ToString(), Is.EqualTo(await Scalar<string>($"SELECT '{text}'::cube::text")));
        var writer = new Loxo.MessageWriter();
        new CubeCodec().Write(writer, cube);
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(sent));
    }

    [TestCaseSource(nameof(Cubes))]
    public async Task A_cube_is_read_and_written(string text)
    {
        var cube = PgCube.Parse(text);
        await using var command = Command($"SELECT '{text}'::cube, $1, $1::text, ARRAY['{text}'::cube, NULL]", new PgParameter { Value = cube, DataTypeName = "cube" });
        foreach (var isPrepared in new[] { false, true })
        {
            if (isPrepared)
                await Mode.Prepare(command);
            await using var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetValue(0), Is.EqualTo(cube));
            Assert.That(reader.GetFieldValue<PgCube>(1), Is.EqualTo(cube));
            Assert.That(reader.GetString(2), Is.EqualTo(text));
            Assert.That(reader.GetString(0), Is.EqualTo(text));
            Assert.That(reader.GetFieldValue<PgCube?[]>(3), Is.EqualTo(new PgCube?[] { cube, null }));
        }
    }
}
