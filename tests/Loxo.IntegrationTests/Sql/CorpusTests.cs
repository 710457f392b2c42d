using Loxo.IntegrationTests.Poolers;
using Loxo.Tests.Sql;

namespace Loxo.IntegrationTests.Sql;

/// <summary>The texts that a driver may misread, run: the values show that the server reads them as the lexer did.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CorpusTests(WaitMode mode) : DatabaseTest(mode)
{
    // An empty text is refused before it is lexed.
    private static readonly IEnumerable<SqlCorpusEntry> Entries = SqlCorpus.Entries.Where(entry => entry.Text.Length > 0);

    [TestCaseSource(nameof(Entries))]
    public async Task The_server_reads_the_text_as_the_lexer_did(SqlCorpusEntry entry)
    {
        await Prepare(entry);
        await using var command = Command(entry.Text);
        foreach (var (name, value) in SqlCorpus.Parameters)
            command.Parameters.AddWithValue(name, value);

        Assert.That(await FirstValues(command), Is.EqualTo(Expected(entry)));
    }

    [TestCaseSource(nameof(Entries))]
    public async Task The_rewritten_statements_give_the_same_one_by_one(SqlCorpusEntry entry)
    {
        await Prepare(entry);
        var values = new List<string?>();
        foreach (var (sql, _) in entry.Statements.Where(statement => statement.Sql.Length > 0))
        {
            // With a positional parameter the text goes out as it is; which parameter stands for which n, the values tell.
            await using var command = Command(sql);
            foreach (var value in ParametersOf(entry, sql))
                command.Parameters.AddWithValue(value);
            values.AddRange(await FirstValues(command));
        }

        Assert.That(values, Is.EqualTo(Expected(entry)));
    }

    private async Task Prepare(SqlCorpusEntry entry)
    {
        if (entry.StandardConformingStrings)
            return;
        // Behind a pooler, settings last as long as a transaction, which ends with the connection.
        var (begin, set) = PoolerOfTheRun.IsThere ? ("BEGIN; ", "SET LOCAL") : ("", "SET");
        await Execute($"{begin}{set} standard_conforming_strings = off; {set} escape_string_warning = off; {set} backslash_quote = on");
    }

    private static IEnumerable<string> Expected(SqlCorpusEntry entry) => entry.Statements.Select(statement => statement.Value).OfType<string>();

    // The first value of each result that has a row, as text.
    private async Task<List<string>> FirstValues(PgCommand command)
    {
        command.AllResultTypesAreUnknown = true;
        var values = new List<string>();
        var reader = await Mode.ExecuteReader(command);
        do
        {
            if (await Mode.Read(reader))
                values.Add(reader.GetString(0));
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);
        return values;
    }

    // The names of the original text, in the order of their first appearance in the part that became the statement.
    private static IEnumerable<string> ParametersOf(SqlCorpusEntry entry, string sql)
    {
        var lexed = Loxo.Sql.SqlText.Lex(entry.Text, entry.StandardConformingStrings, splitAndReplace: true);
        foreach (var statement in lexed.Statements)
        {
            var known = statement.ParameterNames.ToArray().Select(name => SqlCorpus.Parameters.FirstOrDefault(parameter =>
                parameter.Name.Equals(name, StringComparison.OrdinalIgnoreCase)).Value).ToArray();
            if (statement.SqlFor(Array.ConvertAll(known, value => value is not null)) == sql)
                return known.OfType<string>();
        }
        return [];
    }
}
