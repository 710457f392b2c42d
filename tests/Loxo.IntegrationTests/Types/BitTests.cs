using System.Collections;
using System.Collections.Specialized;
using Npgsql;

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

    [TestCase("")]
    [TestCase("1")]
    [TestCase("101")]
    [TestCase("00000101")]
    [TestCase("111111111")]
    [TestCase("10000000000000000000000000000001")]
    public async Task A_vector_has_the_bits_where_Npgsql_puts_them(string bits)
    {
        await using var connection = new NpgsqlConnection(TestServer.Default.ConnectionString);
        await connection.OpenAsync();
        await using var theirs = new NpgsqlCommand($"SELECT '{bits}'::varbit", connection);
        await using var theirReader = await theirs.ExecuteReaderAsync();
        await theirReader.ReadAsync();
        await using var command = Command($"SELECT '{bits}'::varbit");
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        Assert.That(reader.GetFieldValue<BitVector32>(0), Is.EqualTo(theirReader.GetFieldValue<BitVector32>(0)));
    }
}
