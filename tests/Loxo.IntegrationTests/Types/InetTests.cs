using System.Data;
using System.Net;

namespace Loxo.IntegrationTests.Types;

/// <summary>inet, whose values are addresses, or addresses with a netmask.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class InetTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Sql = "SELECT * FROM (VALUES (inet '10.0.0.1', ARRAY[inet '::1', NULL]), (inet '10.0.0.1/8', ARRAY[inet '::1/64', NULL])) v(address, addresses)";

    [Test]
    public async Task Every_value_is_read_without_naming_a_type()
    {
        foreach (var isPrepared in new[] { false, true })
        {
            await using var command = Command(Sql);
            if (isPrepared)
                await Mode.Prepare(command);
            await using var reader = await Mode.ExecuteReader(command);
            Assert.That((reader.GetFieldType(0), reader.GetFieldType(1)), Is.EqualTo((typeof(object), typeof(Array))));
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetValue(0), Is.EqualTo(IPAddress.Parse("10.0.0.1")));
            Assert.That(reader.GetValue(1), Is.EqualTo(new[] { IPAddress.IPv6Loopback, null }));
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetValue(0), Is.EqualTo(PgInet.Parse("10.0.0.1/8")));
            Assert.That(reader.GetValue(1), Is.EqualTo(new PgInet?[] { PgInet.Parse("::1/64"), null }));
        }
    }

    [Test]
    public async Task A_table_is_loaded_with_and_without_netmasks()
    {
        await using var command = Command(Sql);
        await using var reader = await Mode.ExecuteReader(command);
        using var table = new DataTable();
        table.Load(reader);
        Assert.That(table.Rows.Cast<DataRow>().Select(row => row[0]), Is.EqualTo(new object[] { IPAddress.Parse("10.0.0.1"), PgInet.Parse("10.0.0.1/8") }));
    }

    [Test]
    public async Task A_netmask_is_not_lost_where_an_IPAddress_is_asked_for()
    {
        await using var command = Command("SELECT inet '10.0.0.1/8'");
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(() => reader.GetFieldValue<IPAddress>(0), Throws.TypeOf<InvalidCastException>().With.Message.Contains("netmask"));
    }
}
