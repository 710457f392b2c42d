using Loxo.Types;

namespace Loxo.Tests.Types;

public class TypeNamesTests
{
    // Modifiers and texts are what pg_attribute and format_type of PostgreSQL 15 say.
    [TestCase("int4", -1, "integer")]
    [TestCase("_int4", -1, "integer[]")]
    [TestCase("varchar", 14, "character varying(10)")]
    [TestCase("varchar", -1, "character varying")]
    [TestCase("_varchar", 14, "character varying(10)[]")]
    [TestCase("bpchar", 5, "character(1)")]
    [TestCase("numeric", 655366, "numeric(10,2)")]
    [TestCase("numeric", 198658, "numeric(3,-2)")]
    [TestCase("numeric", -1, "numeric")]
    [TestCase("timestamp", 3, "timestamp(3) without time zone")]
    [TestCase("timestamptz", 0, "timestamp(0) with time zone")]
    [TestCase("time", 6, "time(6) without time zone")]
    [TestCase("timetz", -1, "time with time zone")]
    [TestCase("_timestamp", 3, "timestamp(3) without time zone[]")]
    [TestCase("interval", 2147418115, "interval(3)")]
    [TestCase("interval", 458751, "interval year to month")]
    [TestCase("interval", 268435458, "interval second(2)")]
    [TestCase("interval", 470351871, "interval day to second")]
    [TestCase("bit", 3, "bit(3)")]
    [TestCase("varbit", 5, "bit varying(5)")]
    [TestCase("\"char\"", -1, "\"char\"")]
    public void A_column_type_is_shown_as_the_server_shows_it(string type, int modifier, string shown) =>
        Assert.That(TypeNames.Format(CodecCheck.Type(type), modifier), Is.EqualTo(shown));

    [TestCase(" TIMESTAMP (3)  WITH TIME ZONE ", "timestamp with time zone")]
    [TestCase("pg_catalog.VARCHAR(5)[]", "varchar[]")]
    [TestCase("\"pg_catalog\".\"char\"", "\"char\"")]
    [TestCase("int [] []", "int[]")]
    [TestCase("numeric(10, 2) []", "numeric[]")]
    [TestCase("public.citext", "public.citext")]
    public void A_name_has_one_form_to_look_it_up(string name, string normal) => Assert.That(TypeNames.Normalize(name), Is.EqualTo(normal));
}
