using Loxo.Types.Codecs;

namespace Loxo.IntegrationTests.Types;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CubeTests(WaitMode mode) : DatabaseTest(mode)
{
    [TestCase("(1, 2)")]
    [TestCase("(1, 2),(3, 4)")]
    [TestCase("(3),(1)")]
    [TestCase("()")]
    [TestCase("(1.5, -2e-07, 1e+15)")]
    public async Task The_server_sends_what_the_codec_reads_and_writes(string text)
    {
        await Execute("CREATE EXTENSION IF NOT EXISTS cube");
        var sent = (await Scalar<byte[]>($"SELECT cube_send('{text}'::cube)"))!;
        var cube = new CubeCodec().Read(sent);
        Assert.That(cube, Is.EqualTo(PgCube.Parse(text)));
        Assert.That(cube.ToString(), Is.EqualTo(await Scalar<string>($"SELECT '{text}'::cube::text")));
        var writer = new Loxo.MessageWriter();
        new CubeCodec().Write(writer, cube);
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(sent));
    }
}
