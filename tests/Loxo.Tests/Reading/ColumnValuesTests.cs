using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Reading;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Tests.Reading;

/// <summary>Values of columns from bytes that have arrived.</summary>
public sealed class ColumnValuesTests
{
    private static readonly byte[] _fortyTwo = [0, 0, 0, 42];

    private readonly DatabaseTypes _types = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);

    [Test]
    public void A_column_is_read_as_one_type_and_then_as_another()
    {
        var column = Column(PgDbType.Integer);
        Assert.That(ColumnValues.Get<int>(column, 0, _fortyTwo), Is.EqualTo(42));
        Assert.That(ColumnValues.Get<long>(column, 0, _fortyTwo), Is.EqualTo(42L));
        Assert.That(ColumnValues.Get<int?>(column, 0, _fortyTwo), Is.EqualTo(42));
        Assert.That(ColumnValues.GetObject(column, 0, _fortyTwo), Is.EqualTo(42));
    }

    // The columns of a prepared statement are described once, and readers of a pipeline read their rows on several threads.
    [Test]
    public async Task Readers_that_share_a_description_read_a_column_as_different_types_at_the_same_time()
    {
        const int Rounds = 200_000;
        var column = Column(PgDbType.Integer);
        var array = Column(PgDbType.Array | PgDbType.Integer);
        var values = Convert.FromHexString("0000000100000000000000170000000100000001" + "00000004" + "0000002a");
        using var start = new Barrier(2);
        var threads = new[]
        {
            Task.Factory.StartNew(() => Count(i => ColumnValues.Get<int>(column, 0, _fortyTwo) == 42
                && ColumnValues.Get<int[]>(array, 0, values) is [42]), TaskCreationOptions.LongRunning),
            Task.Factory.StartNew(() => Count(i => ColumnValues.Get<long>(column, 0, _fortyTwo) == 42
                && ColumnValues.Get<List<int>>(array, 0, values) is [42]), TaskCreationOptions.LongRunning),
        };
        Assert.That(await Task.WhenAll(threads), Is.EqualTo([Rounds, Rounds]), "right values");

        int Count(Func<int, bool> isRight)
        {
            start.SignalAndWait();
            return Enumerable.Range(0, Rounds).Count(isRight);
        }
    }

    [Test]
    public void A_type_that_the_column_cannot_be_read_as_is_refused_and_the_column_stays_readable()
    {
        var column = Column(PgDbType.Integer);
        var error = Assert.Throws<InvalidCastException>(() => ColumnValues.Get<Guid>(column, 3, _fortyTwo))!;
        Assert.That(error.Message, Does.Contain("'value'").And.Contain("integer").And.Contain("Guid"));
        Assert.That(ColumnValues.Get<int>(column, 3, _fortyTwo), Is.EqualTo(42));
    }

    [Test]
    public void Bytes_that_are_no_value_are_an_error_that_names_the_column()
    {
        var error = Assert.Catch(() => ColumnValues.Get<int>(Column(PgDbType.Integer), 0, [1]))!;
        Assert.That(error.Message, Does.Contain("'value'"));
    }

    [Test]
    public void NULL_is_null_of_a_nullable_value_type_only()
    {
        var column = Column(PgDbType.Integer);
        Assert.That(ColumnValues.Null<int?>(column, 0), Is.Null);
        Assert.Throws<InvalidCastException>(() => ColumnValues.Null<int>(column, 0));
        Assert.Throws<InvalidCastException>(() => ColumnValues.Null<string>(column, 0));
    }

    [TestCase(PgDbType.Text, "c3a97a", 0, 2)]
    [TestCase(PgDbType.Jsonb, "017b7d", 1, 2)]
    public void Characters_are_counted_where_the_text_starts(PgDbType type, string hex, int start, int chars)
    {
        var column = Column(type);
        Assert.That(ColumnValues.Utf8Start(column, 0), Is.EqualTo(start));
        Assert.That(ColumnValues.CountChars(column, 0, Convert.FromHexString(hex)), Is.EqualTo(chars));
    }

    [Test]
    public void A_part_of_a_value_ends_with_the_value_or_the_buffer()
    {
        var target = new byte[2];
        Assert.That(ColumnValues.Copy([1, 2, 3], 1, target), Is.EqualTo(2));
        Assert.That(target, Is.EqualTo((byte[])[2, 3]));
        Assert.That(ColumnValues.Copy([1, 2, 3], 2, target), Is.EqualTo(1));
        Assert.That(ColumnValues.Copy([1, 2, 3], long.MaxValue, target), Is.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => ColumnValues.Copy([1, 2, 3], -1, target));
    }

    private ResultColumn Column(PgDbType type)
    {
        var entry = TypeCatalog.BuiltIn.Find(type)!;
        var description = new ColumnDescription
        {
            Name = "value", TableOid = 0, AttributeNumber = 0, TypeOid = entry.Oid, TypeSize = -1, TypeModifier = -1, Format = FormatCode.Binary,
        };
        return new ResultColumn(description, _types.Find(entry.Oid), FormatCode.Binary) { Types = _types };
    }
}
