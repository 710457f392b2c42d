using System.Collections;
using System.Collections.Specialized;

namespace Loxo.IntegrationTests.Types;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class BitTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task A_column_of_one_bit_is_a_flag()
    {
        await Execute("CREATE TEMP TABLE flags (a bit(1), b bit(2), c varbit(1)); INSERT INTO flags VALUES (B'1', B'10', B'1')");
        await using var command = Command("SELECT a, b, c FROM flags");
        foreach (var isPrepared in new[] { false, true })
        {
            if (isPrepared)
                await Mode.Prepare(command);
            await using var reader = await Mode.ExecuteReader(command);
            Assert.That(new[] { 0, 1, 2 }.Select(reader.GetFieldType), Is.EqualTo(new[] { typeof(bool), typeof(BitArray), typeof(BitArray) }));
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetValue(0), Is.EqualTo(true));
            Assert.That(reader.GetBoolean(0), Is.True);
            Assert.That(reader.GetValue(1), Is.EqualTo(new BitArray([true, false])));
            Assert.That(reader.GetFieldValue<BitArray>(0), Is.EqualTo(new BitArray([true])));
        }
    }

    [TestCase(3)]
    [TestCase(32)]
    public async Task A_vector_is_the_number_that_the_server_makes_of_the_bits(int bits)
    {
        await using var command = Command($"SELECT 5::bit({bits}), 5::bit({bits})::int");
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetFieldValue<BitVector32>(0).Data, Is.EqualTo(reader.GetInt32(1)).And.EqualTo(5));
    }
}
