using System.Collections.Frozen;
using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>The names of called functions, of which a database may say that they change the meaning of names.</summary>
public class SqlCallsTests
{
    private static readonly FrozenSet<string> Changers = new[] { "makes", "Makes Too", "gr\u00f6\u00dfe" }.ToFrozenSet(StringComparer.Ordinal);

    [TestCase("SELECT makes()")]
    [TestCase("SELECT MAKES ( 1 )")]
    [TestCase("SELECT app.makes(1)")]
    [TestCase("SELECT db.app.makes(1)")]
    [TestCase("SELECT \"makes\"()")]
    [TestCase("SELECT \"App\".\"Makes Too\"()")]
    [TestCase("SELECT harmless(), makes()")]
    [TestCase("SELECT * FROM makes() AS m (a)")]
    [TestCase("WITH w AS (SELECT makes()) SELECT * FROM w")]
    [TestCase("INSERT INTO t VALUES (makes())")]
    [TestCase("UPDATE t SET a = makes(a)")]
    [TestCase("EXPLAIN ANALYZE SELECT makes()")]
    [TestCase("DECLARE c CURSOR FOR SELECT makes()")]
    [TestCase("COPY (SELECT makes()) TO STDOUT")]
    [TestCase("SELECT @makes(1)")]
    [TestCase("SELECT U&\"m!0061kes\" UESCAPE '!' (1)")]
    [TestCase("SELECT U&\"m\\0061kes\"(1)")]
    [TestCase("SELECT x.U&\"m\\0061kes\" FROM x")]
    [TestCase("SELECT \"ma\"\"kes\"()")]
    [TestCase("SELECT TREAT(1 AS makes)")]
    [TestCase("SELECT xmlparse(content (makes())::text)")]
    [TestCase("SELECT GR\u00d6\u00dfE()")]
    [TestCase("SELECT (1).makes")]
    [TestCase("SELECT x.makes FROM x")]
    [TestCase("SELECT x.\"Makes Too\" FROM x")]
    public void A_call_of_a_function_that_changes_names_changes_them(string sql)
    {
        var statement = Lex(sql);
        const SqlChanges Expected = SqlChanges.State | SqlChanges.Names;

        Assert.That(statement.ChangesWith(null) & SqlChanges.Names, Is.EqualTo(SqlChanges.None), "nothing is known");
        Assert.That(statement.ChangesWith(null, Changers), Is.EqualTo(Expected));
        Assert.That(statement.ChangesWith(null, Changers), Is.EqualTo(Expected), "remembered");
        Assert.That(statement.MayCallFunctions, Is.True);
    }

    [TestCase("SELECT harmless()", true)]
    [TestCase("SELECT \"Makes\"()", true)]
    [TestCase("SELECT \"makes too\"()", true)]
    [TestCase("SELECT makes_not(), app.remakes()", true)]
    [TestCase("SELECT pg_advisory_lock(1)", true)]
    [TestCase("SELECT x.harmless FROM x", false)]
    [TestCase("SELECT makes, x.a FROM t AS makes", false)]
    [TestCase("SELECT lower(a), 'makes()', count(*) FROM t WHERE x.makes_not = 1", false)]
    [TestCase("INSERT INTO makes (a) VALUES (1)", false)]
    public void Other_functions_do_so_only_where_any_may(string sql, bool isCall)
    {
        var statement = Lex(sql);

        Assert.That(statement.ChangesWith(null, Changers), Is.EqualTo(statement.Changes));
        Assert.That(statement.ChangesWith(null, null, anyChangesNames: true), Is.EqualTo(isCall ? SqlChanges.State | SqlChanges.Names : SqlChanges.None));
    }

    [TestCase("SELECT xmlparse(content (a)), 1, XMLPARSE(DOCUMENT (b)), xmlserialize(content (c) AS text) FROM t")]
    [TestCase("SELECT a, lower(b) FROM t WHERE c IN (1, 2) AND d = any ($1) ORDER BY (a)")]
    [TestCase("INSERT INTO t (a, b) VALUES (1, now()) ON CONFLICT (a) DO NOTHING")]
    [TestCase("SELECT a::numeric(10, 2), cast(b AS varchar(3)), row_number() OVER (PARTITION BY c) FROM f AS g (h)")]
    public void A_plain_statement_keeps_no_names(string sql)
    {
        Assert.That((Lex(sql).Verdict.Calls, Lex(sql).Verdict.Attributes, Lex(sql).MayCallFunctions), Is.EqualTo(((object?)null, (object?)null, false)));
    }

    [TestCase("SELECT app.xmlparse(content(1))")]
    [TestCase("SELECT \"xmlparse\"(content(1))")]
    [TestCase("SELECT xmlparse(content content(1))")]
    [TestCase("SELECT lower(content(1))")]
    [TestCase("CREATE INDEX ON xmlparse (content (a))")]
    public void A_function_with_the_name_of_a_keyword_of_XML_is_called(string sql)
    {
        Assert.That(Lex(sql).ChangesWith(null) & SqlChanges.State, Is.EqualTo(SqlChanges.State));
        Assert.That(Lex(sql).ChangesWith(null, new[] { "content" }.ToFrozenSet(StringComparer.Ordinal)) & SqlChanges.Names, Is.EqualTo(SqlChanges.Names));
    }

    [Test]
    public void Both_lists_of_a_database_count()
    {
        var statement = Lex("SELECT x.set_limit, harmless() FROM x");
        var functions = new[] { "set_limit" }.ToFrozenSet(StringComparer.Ordinal);

        Assert.That(statement.ChangesWith(functions, Changers), Is.EqualTo(SqlChanges.State));
        Assert.That(statement.ChangesWith(functions, functions), Is.EqualTo(SqlChanges.State | SqlChanges.Names), "not what was remembered");
    }

    private static SqlStatement Lex(string sql) => SqlText.Lex(sql, standardConformingStrings: true).Statements[0];
}
