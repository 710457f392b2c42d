using System.Text.RegularExpressions;

namespace Loxo.IntegrationTests.Differential;

/// <summary>The words that rules are written in.</summary>
internal static partial class Rule
{
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

    /// <summary>The steps since the reader was opened.</summary>
    public static IEnumerable<string> SinceReader(this Difference one) => one.Earlier.Reverse().TakeWhile(step => !Opens(step));

    /// <summary>Whether another command, transaction or connection was used since the reader was opened.</summary>
    public static bool OthersRanSinceReader(this Difference one) => one.SinceReader().Any(step =>
        step.Has(".Execute") || step.Has(".Prepare") || step.StartsWith("t", StringComparison.Ordinal) || step.StartsWith("c", StringComparison.Ordinal));

    /// <summary>Whether the reader has been closed.</summary>
    public static bool ReaderIsClosed(this Difference one) => one.SinceReader().Any(step => step is "r.Close();" or "r.Dispose();");

    /// <summary>Whether results were asked for as text.</summary>
    public static bool AskedForText(this Difference one) => one.Did("AllResultTypesAreUnknown") || one.Did("UnknownResultTypeList");

    /// <summary>Whether the step's command was prepared.</summary>
    public static bool WasPrepared(this Difference one) => one.SinceCommand().Any(step =>
        step.Has(".Prepare()") && !step.EndsWith(Difference.Failed, StringComparison.Ordinal));

    /// <summary>Whether the step's command was prepared or executed, and its parameters or its text were changed afterwards.</summary>
    public static bool ChangedAfterRun(this Difference one) => one.SinceCommand()
        .SkipWhile(step => !step.Has(".Prepare()") && !step.Has(".Execute"))
        .Any(step => step.Has(".Parameters") || step.Has(".CommandText"));

    /// <summary>Whether the step's command ran before, so that its statements may be prepared already.</summary>
    public static bool HasRun(this Difference one) => one.SinceCommand().Any(step => step.Has(".Execute"));

    /// <summary>What a line is about: <c>Fact</c> in "column.Fact = value".</summary>
    public static string Name(this string line) => FactName().Match(line).Groups[1].Value;

    public static string Value(this string line) => line[(line.IndexOf(" = ", StringComparison.Ordinal) is var at and >= 0 ? at + 3 : 0)..];

    // The calls of the step's command or batch: "m0", "m1" or "b".
    private static IEnumerable<string> SinceCommand(this Difference one)
    {
        var name = CommandName().Match(one.Step?.Text ?? "").Value;
        return name.Length == 0 ? [] : one.Earlier.Reverse()
            .TakeWhile(step => !step.StartsWith(name + " = ", StringComparison.Ordinal))
            .Where(step => step.Has(name + ".") && !step.StartsWith("Show", StringComparison.Ordinal))
            .Reverse();
    }

    [GeneratedRegex(@"\b(m[01]|b)\b")]
    private static partial Regex CommandName();

    private static bool Opens(string step) =>
        step.StartsWith("r = ", StringComparison.Ordinal) && !step.EndsWith(Difference.Failed, StringComparison.Ordinal);

    [GeneratedRegex(@"(\w+) = ")]
    private static partial Regex FactName();
}
