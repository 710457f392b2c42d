using Loxo.Types;

namespace Loxo.Tests.Types;

public class BuiltInTypesTests
{
    private static readonly PgDbType[] OfExtensionsOrGone =
        [PgDbType.Hstore, PgDbType.Geometry, PgDbType.Geography, PgDbType.Citext, PgDbType.LTree, PgDbType.LQuery, PgDbType.LTxtQuery, PgDbType.Cube, (PgDbType)33];

    [Test]
    public void No_OID_and_no_name_is_there_twice()
    {
        var all = BuiltInTypes.Create(TypeSettings.Default).SelectMany(type => new[] { type, type.Array }).OfType<TypeEntry>().ToList();
        Assert.That(all.Select(type => type.Oid), Is.Unique);
        Assert.That(all.Select(type => type.Name), Is.Unique);
        Assert.That(all.Select(type => type.DisplayName), Is.Unique);
        Assert.That(all.Select(type => type.PgDbType).Where(dbType => dbType is not null), Is.Unique);
    }

    [Test]
    public void Every_member_of_the_enumeration_is_a_type_unless_an_extension_has_to_bring_it()
    {
        var missing = Enum.GetValues<PgDbType>()
            .Except([PgDbType.Array, PgDbType.Range, PgDbType.Multirange, .. OfExtensionsOrGone])
            .Where(dbType => TypeCatalog.BuiltIn.Find(dbType) is null);
        Assert.That(missing, Is.Empty);
    }

    [Test]
    public void No_type_has_two_codecs_for_one_NET_type()
    {
        foreach (var type in BuiltInTypes.Create(TypeSettings.Default).SelectMany(type => new[] { type, type.Array }).OfType<TypeEntry>().Where(type => type.HasBinaryCodec))
            Assert.That(type.ClrTypes, Is.Unique, type.DisplayName);
    }
}
