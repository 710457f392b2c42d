using System.Text.RegularExpressions;

namespace Loxo.IntegrationTests.Differential;

/// <summary>The words that rules are written in.</summary>
internal static partial class Rule
{
    private const string QuotedText = "\"\"\"";

    /// <summary>A difference after which the drivers are in the same state.</summary>
    public static IntendedDifference Same(string row, Func<Difference, bool> applies) => new(row, false, applies);

    /// <summary>A difference after which the rest of the program is not compared.</summary>
    public static IntendedDifference Ends(string row, Func<Difference, bool> applies) => new(row, true, applies);

    public static bool Has(this string line, string part) => line.Contains(part, StringComparison.Ordinal);

    public static bool Throws(this string line, string exception = "") => line.Has("throws " + exception);

    /// <summary>Whether the step is this call.</summary>
    public static bool Calls(this Difference one, string call) => one.Step is { } step && step.Text.Has(call);

    /// <summary>Whether the step is a call of the reader.</summary>
    public static bool UsesReader(this Difference one) => Difference.UsesReader(one.Step);

    /// <summary>Whether one of the drivers said this.</summary>
    public static bool Says(this Difference one, string text) => one.Messages.Has(text);

    /// <summary>Whether an earlier step has this text.</summary>
    public static bool Did(this Difference one, string text) => one.Earlier.Any(step => step.Has(text));

    /// <summary>Whether the latest reader, or the one that the step opens, comes from such a call.</summary>
    public static bool ReaderIsOf(this Difference one, string text) =>
        one.Earlier.Append(one.Step?.Text ?? "").LastOrDefault(Opens)?.Has(text) ?? false;

    /// <summary>Whether the reader that was open before the step comes from such a call.</summary>
    public static bool FormerReaderIsOf(this Difference one, string text) => one.Earlier.LastOrDefault(Opens)?.Has(text) ?? false;

    /// <summary>Whether the latest reader has a connection of its own.</summary>
    public static bool ReaderIsOfDataSource(this Difference one)
    {
        var opening = Array.FindLastIndex([.. one.Earlier], Opens);
        var name = opening < 0 ? "none" : CommandName().Match(one.Earlier[opening]).Value;
        return one.Earlier.Take(opening + 1).LastOrDefault(step => step.StartsWith(name + " = ", StringComparison.Ordinal))?.Has("dataSource") ?? false;
    }

    /// <summary>The steps since the reader was opened.</summary>
    public static IEnumerable<string> SinceReader(this Difference one) => one.Earlier.Reverse().TakeWhile(step => !Opens(step));

    /// <summary>Whether another command, transaction or connection was used since the reader was opened.</summary>
    public static bool OthersRanSinceReader(this Difference one) => one.SinceReader().Any(step =>
        step.Has(".Execute") || step.Has(".Prepare") || step.StartsWith("t", StringComparison.Ordinal) || step.StartsWith("c", StringComparison.Ordinal));

    /// <summary>Whether this is what Loxo's reader says when it is closed, or at its end.</summary>
    public static bool LoxoIsAtEnd(this Difference one) => one.Loxo.Throws("InvalidOperationException") || one.Loxo.Throws("ObjectDisposedException")
        || (one.Loxo == "nothing" && (one.Calls("r.Close()") || one.Calls("r.Dispose()") || one.Calls("ReadAll(r)") || one.Calls("in r)")
            || (one.Calls("GetColumnSchema") && !one.ReaderIsClosed())))
        || one.Loxo.Name() is "RecordsAffected" or "HasRows" || one.Loxo == "IsClosed = Boolean " + (one.ReaderIsClosed() ? "true" : "false")
        || (!one.ReaderIsClosed() && (one.Loxo is "= Boolean false" or "= null" or "= Int32 0"
            || (one.Loxo.Name(), one.Loxo.Value()) is ("FieldCount" or "VisibleFieldCount" or "Depth", "Int32 0")));

    /// <summary>Whether the reader has been closed.</summary>
    public static bool ReaderIsClosed(this Difference one) => one.SinceReader().Any(step => step is "r.Close();" or "r.Dispose();");

    /// <summary>Whether the step fails because a reader is open, and then closes the connection.</summary>
    public static bool ClosesUnderReader(this Difference one) => one.WasReading && one.Calls("CloseConnection")
        && one.Loxo == "throws PgOperationInProgressException" && !one.Npgsql.Throws("PgOperation");

    /// <summary>Whether results were asked for as text.</summary>
    public static bool AskedForText(this Difference one) => one.Did("AllResultTypesAreUnknown") || one.Did("UnknownResultTypeList");

    /// <summary>Whether the step's command was prepared.</summary>
    public static bool WasPrepared(this Difference one) => one.SinceCommand().Any(step =>
        step.Has(".Prepare()") && !step.EndsWith(Difference.Failed, StringComparison.Ordinal));

    /// <summary>Whether the step's command was to be prepared: explicitly, if only in vain, or automatically.</summary>
    public static bool IsToBePrepared(this Difference one) =>
        one.SinceCommand().Any(step => step.Has(".Prepare()")) || one.Keywords.Has("Auto Prepare Min Usages");

    /// <summary>Whether the step's command, or the commands of the batch, have two parameters or more.</summary>
    public static bool HasTwoParameters(this Difference one) => one.SinceCommand().Sum(step => ParameterName().Count(step)) > 1;

    /// <summary>Whether another command with that text was prepared.</summary>
    public static bool OtherHasPrepared(this Difference one, string text) =>
        new[] { "m0", "m1" }.Where(name => name != one.Command()).Any(name => one.Earlier
            .SkipWhile(step => !(step.StartsWith(name + ".", StringComparison.Ordinal) || step.StartsWith(name + " = ", StringComparison.Ordinal)) || !step.Has(QuotedText + text + QuotedText))
            .Contains(name + ".Prepare();"));

    /// <summary>Whether the step's command was disposed, and the call that was to make another one failed.</summary>
    public static bool WasNotReplaced(this Difference one) =>
        one.Earlier.SkipWhile(step => step != one.Command() + ".Dispose();").Any(step =>
            step.StartsWith(one.Command() + " = ", StringComparison.Ordinal) && step.EndsWith(Difference.Failed, StringComparison.Ordinal));

    /// <summary>Whether the step's command was prepared or executed, and its parameters or its text were changed afterwards.</summary>
    public static bool ChangedAfterRun(this Difference one) => one.SinceCommand()
        .SkipWhile(step => !step.Has(".Prepare()") && !step.Has(".Execute"))
        .Any(step => step.Has(".Parameters") || step.Has(".CommandText"));

    /// <summary>Whether the step's command is disposed.</summary>
    public static bool IsDisposed(this Difference one) => one.SinceCommand().Any(step => step == one.Command() + ".Dispose();");

    /// <summary>Whether the step's command ran before, so that its statements may be prepared already.</summary>
    public static bool HasRun(this Difference one) => one.SinceCommand().Any(step => step.Has(".Execute"));

    /// <summary>Whether the step's command has failed in a transaction, and so perhaps could not be prepared anew.</summary>
    public static bool HasFailedInTransaction(this Difference one) => (one.Did("BeginTransaction") || one.Did("BEGIN"))
        && one.SinceCommand().Any(step => step.Has(".Execute") && step.EndsWith(Difference.Failed, StringComparison.Ordinal));

    /// <summary>What a line is about: <c>Fact</c> in "column.Fact = value".</summary>
    public static string Name(this string line) => FactName().Match(line).Groups[1].Value;

    public static string Value(this string line) => line[(line.IndexOf(" = ", StringComparison.Ordinal) is var at and >= 0 ? at + 3 : 0)..];

    /// <summary>The texts that the step's command or batch was given.</summary>
    public static IEnumerable<string> Texts(this Difference one) =>
        one.SinceCommand().Append(one.Creation()).Where(step => step.Has(QuotedText)).Select(step => QuotedPart().Match(step).Groups[1].Value);

    /// <summary>Whether one of the drivers passed on an error of the server.</summary>
    public static bool SaysServerError(this Difference one) => ServerError().IsMatch(one.Messages);

    /// <summary>Whether the step's command, or a command of the batch, may have a parameter that its text does not name.</summary>
    public static bool HasUnnamedParameter(this Difference one)
    {
        var steps = one.SinceCommand().Append(one.Creation()).ToArray();
        if (steps.Any(step => step.Has("BatchCommands.Add")))
            return steps.Any(step => HasUnnamed([step], [step]));
        if (steps.LastOrDefault(step => step.Has(".CommandType = ")) is { } type && !type.Has("CommandType.Text"))
            return type.Has("CommandType.TableDirect");
        return HasUnnamed([.. steps.Where(step => step.Has(QuotedText))], [.. steps.Where(step => step.Has(".Parameters.Add("))]);
    }

    // The calls of the step's command or batch.
    private static IEnumerable<string> SinceCommand(this Difference one)
    {
        var name = one.Command();
        return name.Length == 0 ? [] : one.Earlier.Reverse()
            .TakeWhile(step => !step.StartsWith(name + " = ", StringComparison.Ordinal))
            .Where(step => step.Has(name + ".") && !step.StartsWith("Show", StringComparison.Ordinal))
            .Reverse();
    }

    // "m0", "m1" or "b"; that of the reader, if the step is a call of the reader.
    private static string Command(this Difference one) =>
        CommandName().Match((one.UsesReader() ? one.Earlier.LastOrDefault(Opens) : one.Step?.Text) ?? "").Value;

    // The call that has made the step's command or batch.
    private static string Creation(this Difference one)
    {
        var name = one.Command();
        return one.Earlier.LastOrDefault(step => step.StartsWith(name + " = ", StringComparison.Ordinal)) ?? "";
    }

    private static bool HasUnnamed(string[] texts, string[] parameters)
    {
        var names = parameters.SelectMany(step => ParameterName().Matches(step)).Select(match => match.Groups[1].Value.TrimStart('@', ':')).ToArray();
        var positional = names.Count(name => name.Length == 0);
        return names.Distinct(StringComparer.OrdinalIgnoreCase).Count() < names.Count(name => name.Length > 0) || texts.Select(text => QuotedPart().Match(text).Groups[1].Value).Any(text =>
            names.Any(name => name.Length > 0 && !text.Contains("@" + name, StringComparison.OrdinalIgnoreCase)
                && !text.Contains(":" + name, StringComparison.OrdinalIgnoreCase))
            || (positional > 0 && !text.Has($"${positional}")));
    }

    [GeneratedRegex(@"\b(m[01]|b)\b")]
    private static partial Regex CommandName();

    [GeneratedRegex("// [0-9A-Z]{5}: ")]
    private static partial Regex ServerError();

    [GeneratedRegex("ParameterName = \"([^\"]*)\"")]
    private static partial Regex ParameterName();

    [GeneratedRegex("\"\"\"(.*?)\"\"\"", RegexOptions.Singleline)]
    private static partial Regex QuotedPart();

    private static bool Opens(string step) =>
        step.StartsWith("r = ", StringComparison.Ordinal) && !step.EndsWith(Difference.Failed, StringComparison.Ordinal);

    [GeneratedRegex(@"(\w+) = ")]
    private static partial Regex FactName();
}
