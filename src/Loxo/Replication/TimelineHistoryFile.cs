namespace Loxo;

/// <summary>The history of a timeline.</summary>
public readonly struct TimelineHistoryFile
{
    internal TimelineHistoryFile(string fileName, byte[] content) => (FileName, Content) = (fileName, content);

    /// <summary>The name of the file, as <c>00000002.history</c>.</summary>
    public string FileName { get; }

    /// <summary>Its bytes.</summary>
    public byte[] Content { get; }
}
