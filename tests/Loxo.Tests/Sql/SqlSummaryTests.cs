using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>Statements in few words, and without their literals.</summary>
public sealed class SqlSummaryTests
{
    [TestCase("SELECT * FROM products WHERE id = $1", "SELECT products", "SELECT", "products")]
    [TestCase("select p.name from shop.products p join shop.\"Orders\" o on o.p = p.id", "SELECT shop.products shop.\"Orders\"", "SELECT", null)]
    [TestCase("SELECT a FROM t1, t2 AS x, only t3 WHERE a IN (1, 2)", "SELECT t1 t2 t3", "SELECT", null)]
    [TestCase("SELECT 1", "SELECT", "SELECT", null)]
    [TestCase("SELECT extract(year FROM day), trim(both ' ' from x) FROM calendar", "SELECT calendar", "SELECT", "calendar")]
    [TestCase("SELECT * FROM a WHERE b IS DISTINCT FROM c", "SELECT a", "SELECT", "a")]
    [TestCase("SELECT * FROM (SELECT * FROM inner_table) x", "SELECT SELECT inner_table", "SELECT", "inner_table")]
    [TestCase("INSERT INTO a (x) SELECT y FROM b ON CONFLICT DO UPDATE SET x = 1", "INSERT a SELECT b", "INSERT", null)]
    [TestCase("INSERT INTO a VALUES (1), (2)", "INSERT a", "INSERT", "a")]
    [TestCase("UPDATE products SET price = 1 FROM s WHERE true", "UPDATE products s", "UPDATE", null)]
    [TestCase("DELETE FROM products USING old WHERE old.id = products.id", "DELETE products old", "DELETE", null)]
    [TestCase("MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = 1", "MERGE t s UPDATE", "MERGE", null)]
    [TestCase("SELECT * FROM t FOR UPDATE", "SELECT t", "SELECT", "t")]
    [TestCase("WITH x AS (SELECT * FROM a) SELECT * FROM x", "SELECT a SELECT x", "SELECT", null)]
    [TestCase("CREATE TABLE IF NOT EXISTS shop.t (a int REFERENCES b)", "CREATE TABLE shop.t", "CREATE", "shop.t")]
    [TestCase("drop index concurrently i", "DROP INDEX i", "DROP", "i")]
    [TestCase("CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1 FROM t'", "CREATE FUNCTION f", "CREATE", "f")]
    [TestCase("CALL archive(1)", "CALL archive", "CALL", "archive")]
    [TestCase("COPY t (a) FROM STDIN (FORMAT binary)", "COPY t", "COPY", "t")]
    [TestCase("BEGIN", "BEGIN", "BEGIN", null)]
    [TestCase("SET search_path TO x", "SET", "SET", null)]
    [TestCase("EXPLAIN ANALYZE SELECT * FROM t", "SELECT t", "SELECT", "t")]
    [TestCase("-- FROM comment\nSELECT 'FROM x' FROM y", "SELECT y", "SELECT", "y")]
    [TestCase("EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM t", "SELECT t", "SELECT", "t")]
    [TestCase("COPY (SELECT * FROM t) TO STDOUT", "COPY SELECT t", "COPY", "t")]
    [TestCase("VALUES (1), (2)", "VALUES", "VALUES", null)]
    [TestCase("TABLE t", "TABLE t", "TABLE", "t")]
    [TestCase("ANALYZE t", "ANALYZE t", "ANALYZE", "t")]
    [TestCase("", "", "", null)]
    [TestCase("$$?", "", "", null)]
    public void A_statement_in_few_words(string sql, string text, string operation, string? table)
    {
        var summary = SqlSummary.Of(sql, standardConformingStrings: true);
        Assert.That(summary, Is.EqualTo(new SqlSummary(text, operation, table)));
    }

    [TestCase("SELECT 'secret', 42, -1.5e3 FROM t WHERE a = $1 AND b = @b", "SELECT ?, ?, -? FROM t WHERE a = $1 AND b = @b")]
    [TestCase("SELECT E'it''s \\' x', $tag$secret$tag$, U&'\\0061', b'01', x'ff', 0x1F", "SELECT ?, ?, ?, ?, ?, ?")]
    [TestCase("SELECT \"a1\", t1.c2 -- 'kept' 1\n", "SELECT \"a1\", t1.c2 -- 'kept' 1\n")]
    [TestCase("SELECT 'not terminated", "SELECT ?")]
    public void Literals_are_left_out(string sql, string expected) =>
        Assert.That(SqlSummary.WithoutLiterals(sql, standardConformingStrings: true), Is.EqualTo(expected));

    [Test]
    public void A_summary_is_short_and_whole()
    {
        var tables = string.Join(", ", Enumerable.Range(0, 100).Select(static i => $"table_number_{i}"));
        var summary = SqlSummary.Of("SELECT 1 FROM " + tables, standardConformingStrings: true).Text;
        Assert.That(summary, Has.Length.LessThanOrEqualTo(255).And.Length.GreaterThan(200));
        Assert.That(summary.Split(' ')[1..], Is.All.Matches<string>(name => tables.Split(", ").Contains(name)));
    }

    [Test]
    public void Nothing_fails_and_nothing_takes_long()
    {
        var random = new Random(1);
        string[] pieces = ["SELECT ", "FROM ", "(", ")", ",", "UPDATE ", "\"", "'", "$$", "a.", ".b", "WITH ", "--", "/*", "*/", "JOIN ", "\n", "1", ";"];
        for (var i = 0; i < 20_000; i++)
        {
            var text = string.Concat(Enumerable.Range(0, random.Next(1, 20)).Select(_ => pieces[random.Next(pieces.Length)]));
            Assert.That(SqlSummary.Of(text, i % 2 == 0).Text, Has.Length.LessThanOrEqualTo(255), text);
            SqlSummary.WithoutLiterals(text, i % 2 == 0);
        }
        var deep = string.Concat(Enumerable.Repeat("(SELECT * FROM t ", 100_000));
        Assert.That(SqlSummary.Of(deep, true).Text, Does.StartWith("SELECT t SELECT t"));
    }
}
