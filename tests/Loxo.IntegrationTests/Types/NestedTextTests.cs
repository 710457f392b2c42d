using System.Text;
using System.Text.RegularExpressions;
using Loxo.IntegrationTests.Pool;
using Loxo.Types;

namespace Loxo.IntegrationTests.Types;

/// <summary>Texts of arrays and composite values are read as the server reads them: as the same value, or not at all.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public partial class NestedTextTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Generated = 2000;

    private static readonly string[] Arrays =
    [
        "{}", " { } ", "{a}", "\t{ a , b }\n", "{ \"a\" , \" b \" }", "{\"\"}", "{ , }", "{a,}", "{a b }", @"{\ a\ , b\  }", @"{a\,b}", @"{\}}", @"{\NULL,NULL, null ,""NULL""}", @"{a\",
        "{a\"b\"}", "{\"a\"b}", "{{a},{b}}", "{ { a } , { b } } ", "{{a},{b,c}}", "[1:2]={a,b}", " [0:0] [2:3] = { {a,b} }", "[2]={a,b}", "[+1:2]={a,b}", "[1:3]={a,b}", "[2:1]={}", "[1:1]={}",
        "[0]={a}", "[ 1:2]={a,b}", "[1 :2]={a,b}", "[1:2={a,b}", "[1:]={a}", "[:1]={a}", "[1:1]{a}", "[-2147483648:-2147483647]={a,b}", "{a} b", "a", "", "{a\u00a0,b}", "{\va\f}",
    ];

    [Test]
    public async Task An_array_is_read_as_the_server_reads_it()
    {
        var texts = new TextMutator(random => TextGrammars.Pick(random, Arrays), "{}[]\" \\,:=1aNUL", seed: 1);
        await Compare("text", [.. Arrays, .. Enumerable.Range(0, Generated).Select(_ => texts.Next()).Where(text => !HasEmptyPart().IsMatch(text))]);
    }

    [TestCase("bytea", "", @"\\x00ff")]
    [TestCase("interval", "1 day", " 1 day\t")]
    [TestCase("time", "12:34:56", " 12:34:56\n")]
    [TestCase("timetz", "12:34:56+01", " 12:34:56+01\n")]
    [TestCase("macaddr", "08:00:2b:01:02:03", " 08:00:2b:01:02:03 ")]
    [TestCase("macaddr8", "08:00:2b:01:02:03:04:05", " 08:00:2b:01:02:03:04:05 ")]
    [TestCase("bool", "t", " f\v")]
    [TestCase("uuid", "00112233-4455-6677-8899-aabbccddeeff", " 00112233-4455-6677-8899-aabbccddeeff")]
    public async Task Quoted_elements_are_read_as_the_server_reads_them(string element, string first, string second) =>
        await Compare(element, [$"{{\"{first}\",\"{second}\"}}", $"{{ \"{second}\" , \"{first}\" }}"]);

    [TestCase("pair", "(,)", "(a,)", " ( a ,)\n", "(\"\",\"\")", "(\" a\" b,)", @"(\,,""\\x00"")", "(a)", "(a,,)", "(a,", "a,)", "(a,)x", "", "(\"a\"\"b\",\"\"", "((,)")]
    [TestCase("nothing", "()", " () ", "( )", "(a)", "(,)", "(", ")", "")]
    public async Task A_composite_value_is_read_as_the_server_reads_it(string type, params string[] texts)
    {
        await using var database = await TestDatabase.Create(["CREATE TYPE pair AS (a text, b bytea)", "CREATE TYPE nothing AS ()"]);
        await using var connection = new PgConnection(database.ConnectionString);
        await Mode.Open(connection);
        foreach (var text in texts)
        {
            var expected = await Read("SELECT $1::text", new PgParameter { Value = text, DataTypeName = type });
            Assert.That(await Read("SELECT ($1)[1]::text", new PgParameter { Value = new[] { text }, DataTypeName = type + "[]" }), Is.EqualTo(expected), text);
        }

        async Task<string?> Read(string sql, PgParameter parameter)
        {
            await using var command = new PgCommand(sql, connection) { Parameters = { parameter } };
            try
            {
                return (string?)await Mode.ExecuteScalar(command);
            }
            catch (Exception error) when (error is PgException or InvalidCastException)
            {
                return null;
            }
        }
    }

    private async Task Compare(string element, string[] texts)
    {
        await Execute("DROP FUNCTION IF EXISTS pg_temp.read(text)");
        await Execute($"""
            CREATE FUNCTION pg_temp.read(t text) RETURNS bytea LANGUAGE plpgsql AS
            $$ BEGIN RETURN array_send(t::{element}[]); EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$
            """);
        await using var command = Command("SELECT pg_temp.read(t) FROM unnest($1) WITH ORDINALITY u(t, n) ORDER BY n", new PgParameter<string[]>(texts));
        await using var reader = await Mode.ExecuteReader(command);
        var (differences, both) = (new List<string>(), 0);
        for (var i = 0; await Mode.Read(reader); i++)
        {
            var (theirs, ours) = (reader.IsDBNull(0) ? null : Convert.ToHexString(reader.GetFieldValue<byte[]>(0)), Read(element, texts[i]));
            if (theirs != ours)
                differences.Add($"«{texts[i]}» is read as {ours ?? "nothing"}, and by the server as {theirs ?? "nothing"}");
            both += theirs is null || ours is null ? 0 : 1;
        }
        Assert.That(differences.Take(25), Is.Empty);
        Assert.That(element == "uuid" || both >= texts.Length / 4, Is.True, "the texts are of some use");
    }

    private static string? Read(string element, string text)
    {
        var binary = new MessageWriter(64);
        try
        {
            TypeCatalog.BuiltIn.Find("_" + element)!.TextFormat!.WriteBinary(binary, Encoding.UTF8.GetBytes(text));
            return Convert.ToHexString(binary.Pending);
        }
        catch (PgException)
        {
            return null;
        }
    }

    // Parts without elements: before version 17 they are not taken in all places.
    [GeneratedRegex(@"\{\s*\}.*\}", RegexOptions.Singleline)]
    private static partial Regex HasEmptyPart();
}
