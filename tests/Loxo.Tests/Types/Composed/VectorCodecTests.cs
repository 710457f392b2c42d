namespace Loxo.Tests.Types.Composed;

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
    public void An_empty_vector_keeps_its_dimension() =>
        CodecCheck.BothWays<uint[]>("oidvector", [], "00000001000000000000001a0000000000000000");

    [Test]
    public void An_array_of_vectors_is_an_array_of_arrays() =>
        CodecCheck.BothWays<uint[][]>("oidvector[]", [[1, 2]], "00000001000000000000001e000000010000000100000024" + OneTwo);
}
