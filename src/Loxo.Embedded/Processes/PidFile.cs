using System.Globalization;

namespace Loxo.Embedded.Processes;

/// <summary>
/// postmaster.pid of a data directory. Lines: process id, data directory, start time, port, socket directory, first listen address, shared
/// memory, state (pidfile.h).
/// </summary>
internal readonly record struct PidFile(int ProcessId, DateTimeOffset StartTime)
{
    /// <summary>The file of a data directory, or null when there is none or it is not complete.</summary>
    public static PidFile? Read(string dataDirectory)
    {
        try
        {
            using var stream = new FileStream(PathIn(dataDirectory), FileMode.Open, FileAccess.Read,
                FileShare.ReadWrite | FileShare.Delete);
            using var reader = new StreamReader(stream);
            var lines = reader.ReadToEnd().Split('\n');
            return lines.Length > 3
                && int.TryParse(lines[0], CultureInfo.InvariantCulture, out var processId)
                && long.TryParse(lines[2], CultureInfo.InvariantCulture, out var started)
                    ? new PidFile(processId, DateTimeOffset.FromUnixTimeSeconds(started))
                    : null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    public static string PathIn(string dataDirectory) => Path.Combine(dataDirectory, "postmaster.pid");
}
