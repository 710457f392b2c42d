using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Reading;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class CompositeFieldsTests
{
    private const uint Pair = 16_400;

    // Two fields of type integer, where the type is known to have one.
    private static readonly byte[] TwoFields = Convert.FromHexString("00000002" + "000000170000000400000001" + "000000170000000400000002");

    [Test]
    public void Reading_a_value_of_a_changed_type_changes_nothing_that_others_see()
    {
        var types = Known();
        var error = Assert.Throws<PgException>(() => types.Find(Pair)!.Default!.ReadObject(TwoFields))!;
        Assert.That(error.IsTypeOutdated, Is.True);
        Assert.That(types.IsOutdated, Is.False);
    }

    [Test]
    public void A_reader_that_meets_such_a_value_has_the_type_looked_up_again()
    {
        var shared = Known();
        var types = new DatabaseTypes(shared, hidesPath: false);
        var column = new ResultColumn(Description(), types.Find(Pair), FormatCode.Binary) { Types = types };
        var error = Assert.Throws<PgException>(() => column.DefaultCodec.ReadObject(TwoFields))!;
        Assert.That(ReaderErrors.CannotRead(column, 0, error), Is.TypeOf<PgException>());
        Assert.That((types.IsOutdated, shared.IsOutdated), Is.EqualTo((true, true)));
    }

    private static DatabaseTypes Known()
    {
        var types = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);
        types.Add([new() { Oid = Pair, Schema = "app", Name = "pair", Kind = 'c', Fields = [new("a", 23, -1)] }], byPath: true);
        return types;
    }

    private static ColumnDescription Description() => new()
    {
        Name = "pair", TableOid = 0, AttributeNumber = 0, TypeOid = Pair, TypeSize = -1, TypeModifier = -1, Format = FormatCode.Binary,
    };
}
