namespace Loxo.Tests.Types;

public class VectorCodecTests
{
    private const string OneTwo = "00000001000000000000001a000000020000000000000004000000010000000400000002";

    [Test]
    public void A_vector_starts_at_index_0()
    {
        CodecCheck.BothWays<uint[]>("oidvector", [1, 2], OneTwo);
        CodecCheck.BothWays<short[]>("int2vector", [1, -2], "000000010000000000000015000000020000000000000002000100000002fffe");
        CodecCheck.OnlyWhole<uint[]>("oidvector", OneTwo);
    }

    [Test]
    public void An_empty_vector_is_read_but_cannot_be_written()
    {
        Assert.That(CodecCheck.Read<uint[]>("oidvector", "00000001000000000000001a0000000000000000"), Is.Empty);
        Assert.That(() => CodecCheck.Write<uint[]>("oidvector", []), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
            "An empty uint[] cannot become a vector of oid, which the server takes as text only. Write '' in the SQL text."));
    }

    [Test]
    public void An_array_of_vectors_is_an_array_of_arrays() =>
        CodecCheck.BothWays<uint[][]>("oidvector[]", [[1, 2]], "00000001000000000000001e000000010000000100000024" + OneTwo);
}
