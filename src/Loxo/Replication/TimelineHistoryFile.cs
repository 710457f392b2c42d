using System.Text;

namespace Loxo;

/// <summary>The history of a timeline.</summary>
public readonly struct TimelineHistoryFile
{
    internal TimelineHistoryFile(string fileName, byte[] content) => (FileName, Content) = (fileName, content);

    /// <summary>The name of the file, as <c>00000002.history</c>.</summary>
    public string FileName { get; }

    /// <summary>Its bytes.</summary>
    public byte[] Content { get; }

    /// <summary>Where an earlier timeline ends that this one comes from; 0/0 if it does not come from it.</summary>
    internal PgLogSequenceNumber EndOf(uint timeline)
    {
        foreach (var line in Encoding.UTF8.GetString(Content).Split('\n'))
        {
            // The timeline, its end, and the reason in words.
            if (line.Split('\t') is [var number, var end, ..] && number == timeline.ToString(CultureInfo.InvariantCulture))
                return PgLogSequenceNumber.Parse(end);
        }
        return PgLogSequenceNumber.Invalid;
    }
}
