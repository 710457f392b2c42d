using System.Collections.Immutable;
using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>
/// A change of a file's text. The analyzer writes it into the properties of a diagnostic, and the code fix reads it there.
/// </summary>
internal readonly struct Edit
{
    private Edit(TextSpan span, string text, TextChange? keptName, UsingNeed needed) =>
        (Span, Text, KeptName, Using) = (span, text, keptName, needed);

    public TextSpan Span { get; }

    public string Text { get; }

    /// <summary>The old name that is inserted in front of an expression; null for none.</summary>
    public TextChange? KeptName { get; }

    public UsingNeed Using { get; }

    public static ImmutableDictionary<string, string?> Properties(Finding finding) => ImmutableDictionary<string, string?>.Empty
        .Add("start", Write(finding.Replaced.Start))
        .Add("length", Write(finding.Replaced.Length))
        .Add("text", finding.Replacement)
        .Add("keptNameAt", Write(finding.KeptNameAt))
        .Add("keptName", finding.KeptName)
        .Add("using", Write((int)finding.Using));

    public static Edit Of(Diagnostic diagnostic)
    {
        var properties = diagnostic.Properties;
        var keptNameAt = Read(properties, "keptNameAt");
        return new Edit(
            new TextSpan(Read(properties, "start"), Read(properties, "length")),
            properties["text"]!,
            keptNameAt < 0 ? null : new TextChange(new TextSpan(keptNameAt, 0), properties["keptName"]!),
            (UsingNeed)Read(properties, "using"));
    }

    private static string Write(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static int Read(ImmutableDictionary<string, string?> properties, string name) =>
        int.Parse(properties[name]!, CultureInfo.InvariantCulture);
}
