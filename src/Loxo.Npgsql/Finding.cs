using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>Whether a renamed name needs <c>using Loxo;</c> in its file.</summary>
internal enum UsingNeed
{
    /// <summary>The name is qualified, or is no type's.</summary>
    None,

    /// <summary>A directive in the project's sources imports the name, and the code fix changes that directive as well.</summary>
    WhenFixedAlone,

    /// <summary>No directive that the code fix could change imports the name, such as one generated from the project file.</summary>
    Always,
}

/// <summary>A place in a source file that has to change, or that cannot be migrated.</summary>
internal sealed class Finding
{
    private Finding(TextSpan span, string name) => (Span, Name) = (span, name);

    /// <summary>The place that the diagnostic marks.</summary>
    public TextSpan Span { get; }

    /// <summary>The name that the file has.</summary>
    public string Name { get; }

    /// <summary>Loxo's name; null if there is none.</summary>
    public string? Replacement { get; private set; }

    /// <summary>Why there is no counterpart; null if there is one.</summary>
    public string? Reason { get; private set; }

    /// <summary>The text that is replaced, where it is longer than the marked place.</summary>
    public TextSpan Replaced { get; private set; }

    /// <summary>
    /// Where the old name is written in front of an expression, so that a member keeps the name inferred from it; -1 for nowhere.
    /// </summary>
    public int KeptNameAt { get; private set; } = -1;

    /// <summary>The old name and the separator of an inferred member name.</summary>
    public string KeptName { get; private set; } = "";

    public UsingNeed Using { get; private set; }

    public static Finding Rename(TextSpan span, string name, string replacement, UsingNeed needed = UsingNeed.None) =>
        new(span, name) { Replacement = replacement, Replaced = span, Using = needed };

    public static Finding Remove(TextSpan span, TextSpan removed, string name, UsingNeed needed = UsingNeed.None) =>
        new(span, name) { Replacement = "", Replaced = removed, Using = needed };

    public static Finding Missing(TextSpan span, string name, string reason) => new(span, name) { Reason = reason };

    public Finding KeepName(int at, string separator)
    {
        (KeptNameAt, KeptName) = (at, Name + separator);
        return this;
    }
}
