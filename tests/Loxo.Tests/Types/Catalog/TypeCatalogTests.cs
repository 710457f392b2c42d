using System.Data;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class TypeCatalogTests
{
    private static readonly TypeCatalog Catalog = TypeCatalog.BuiltIn;

    [TestCase(23u, "int4")]
    [TestCase(1007u, "_int4")]
    [TestCase(869u, "inet")]
    [TestCase(2287u, "_record")]
    public void A_type_is_found_by_its_OID(uint oid, string name) => Assert.That(Catalog.Find(oid)!.Name, Is.EqualTo(name));

    [TestCase("int4", "int4")]
    [TestCase("integer", "int4")]
    [TestCase("INT", "int4")]
    [TestCase("pg_catalog.int4", "int4")]
    [TestCase("integer[]", "_int4")]
    [TestCase("int[][]", "_int4")]
    [TestCase("_int4", "_int4")]
    [TestCase("Character  Varying (10)", "varchar")]
    [TestCase("numeric(10,2)[]", "_numeric")]
    [TestCase("timestamp(3) with time zone", "timestamptz")]
    [TestCase("timestamp", "timestamp")]
    [TestCase("char", "bpchar")]
    [TestCase("\"char\"", "char")]
    [TestCase("pg_catalog.\"char\"[]", "_char")]
    [TestCase("_char", "_char")]
    [TestCase("\"int4\"", "int4")]
    [TestCase("decimal", "numeric")]
    [TestCase("double precision", "float8")]
    [TestCase("bit varying(5)", "varbit")]
    public void A_type_is_found_by_its_names(string name, string expected) => Assert.That(Catalog.Find(name)?.Name, Is.EqualTo(expected));

    [TestCase("")]
    [TestCase("citext")]
    [TestCase("public.int4")]
    [TestCase("integer x")]
    public void Another_name_finds_nothing(string name) => Assert.That(Catalog.Find(name), Is.Null);

    [TestCase(PgDbType.Integer, 23u)]
    [TestCase(PgDbType.Integer | PgDbType.Array, 1007u)]
    [TestCase(PgDbType.IntegerRange, 3904u)]
    [TestCase(PgDbType.IntegerRange | PgDbType.Array, 3905u)]
    [TestCase(PgDbType.InternalChar, 18u)]
    [TestCase(PgDbType.Char, 1042u)]
    public void A_type_is_found_by_its_member(PgDbType dbType, uint oid) => Assert.That(Catalog.Find(dbType)!.Oid, Is.EqualTo(oid));

    [TestCase(PgDbType.Hstore)]
    [TestCase(PgDbType.Array)]
    [TestCase(PgDbType.Geometry)]
    public void A_member_of_an_extension_is_not_built_in(PgDbType dbType) => Assert.That(Catalog.Find(dbType), Is.Null);

    [TestCase(DbType.DateTime, "timestamptz")]
    [TestCase(DbType.AnsiStringFixedLength, "text")]
    public void A_type_is_found_by_ADO_NETs_member(DbType dbType, string name) => Assert.That(Catalog.Find(dbType)!.Name, Is.EqualTo(name));

    [Test]
    public void Object_leaves_the_type_to_the_value() => Assert.That(Catalog.Find(DbType.Object), Is.Null);

    [Test]
    public void Nothing_is_inferred_from_null()
    {
        Assert.That(Catalog.Infer(null), Is.Null);
        Assert.That(Catalog.Infer<object>(null), Is.Null);
        Assert.That(Catalog.Infer(DBNull.Value), Is.Null);
    }
}
