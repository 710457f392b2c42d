using Loxo.Sql;

namespace Loxo.Tests.Sql;

public sealed class SqlCopyTests
{
    [TestCase("COPY t FROM STDIN", true, true, "t", "")]
    [TestCase("copy T to stdout", false, true, "T", "")]
    [TestCase("/* a */ COPY -- b\n \"T\" . \"a\"\"b\" (x, \"Y\", \"z\"\"1\") FROM STDIN (FORMAT binary)", true, true, "\"T\" . \"a\"\"b\"", "x,Y,z\"1")]
    [TestCase("COPY a.b.c ( X ) FROM STDIN WITH (FORMAT csv, HEADER)", true, true, "a.b.c", "x")]
    [TestCase("COPY BINARY t FROM STDIN", true, true, "t", "")]
    [TestCase("COPY \"binary\" FROM STDIN", true, true, "\"binary\"", "")]
    [TestCase("COPY t FROM '/a/file'", true, false, "t", "")]
    [TestCase("COPY t (a) TO PROGRAM 'cat'", false, false, "t", "a")]
    public void A_table_and_its_columns_are_found(string sql, bool isFrom, bool isClient, string table, string columns)
    {
        var copy = SqlCopy.Parse(sql, standardConformingStrings: true)!;
        Assert.That((copy.IsFrom, copy.IsClient, copy.Table, string.Join(',', copy.Columns), copy.Query), Is.EqualTo((isFrom, isClient, table, columns, (string?)null)));
    }

    [TestCase("COPY (SELECT 1) TO STDOUT", "SELECT 1")]
    [TestCase("COPY (SELECT ')' || (VALUES (1))::text || $$)$$ -- )\n) TO STDOUT", "SELECT ')' || (VALUES (1))::text || $$)$$ -- )\n")]
    public void A_query_is_found(string sql, string query)
    {
        var copy = SqlCopy.Parse(sql, standardConformingStrings: true)!;
        Assert.That((copy.IsFrom, copy.IsClient, copy.Table, copy.Query), Is.EqualTo((false, true, (string?)null, query)));
    }

    [TestCase("SELECT 1"), TestCase(""), TestCase("COPY"), TestCase("COPY t"), TestCase("COPY t FROM"), TestCase("COPY (SELECT 1"), TestCase("COPY t (a, b FROM STDIN")]
    [TestCase("COPY t (a,) FROM STDIN"), TestCase("COPY t (U&\"a\") FROM STDIN"), TestCase("COPY 'x' FROM STDIN"), TestCase("COPY t () FROM STDIN")]
    public void Anything_else_is_not_read(string sql)
    {
        var copy = SqlCopy.Parse(sql, standardConformingStrings: true);
        Assert.That(copy is null or { IsClient: false }, Is.True);
    }

    [TestCase("COPY t (U&\"a\") FROM STDIN", true)]
    [TestCase("COPY t (a, U&\"\\0062\") TO /* a */ stdout", true)]
    [TestCase("COPY t (U&\"a\") FROM 'STDIN'", false)]
    [TestCase("COPY t (U&\"a\") FROM \"stdin\"", false)]
    [TestCase("COPY t FROM STDIN", true)]
    [TestCase("COPY t (stdin) FROM 'file'", false)]
    [TestCase("SELECT stdin FROM t", false)]
    public void One_that_may_go_through_the_client_is_noticed(string sql, bool expected) =>
        Assert.That(SqlCopy.MayGoThroughClient(sql, standardConformingStrings: true), Is.EqualTo(expected));
}
