using Loxo.Embedded.Processes;

namespace Loxo.Embedded.Storage;

/// <summary>What is done with whole folders.</summary>
internal static class FileTree
{
    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    private static readonly EnumerationOptions EveryFile =
        new() { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint };

    /// <summary>Copies a folder of plain files for a server: only its user may enter (the server insists).</summary>
    public static void Copy(string source, string target, ServerUser? owner)
    {
        MakePrivateFolder(target, owner);
        foreach (var entry in new DirectoryInfo(source).EnumerateFileSystemInfos())
        {
            var copy = Path.Combine(target, entry.Name);
            if (entry is DirectoryInfo)
            {
                Copy(entry.FullName, copy, owner);
                continue;
            }
            File.Copy(entry.FullName, copy);
            owner?.Own(copy);
        }
    }

    public static void MakePrivateFolder(string path, ServerUser? owner)
    {
        if (OperatingSystem.IsWindows())
            Directory.CreateDirectory(path);
        else
            Directory.CreateDirectory(path, Private);
        owner?.Own(path);
    }

    /// <summary>
    /// Moves a finished folder to the name that others look for. Should another process have been faster, its folder stays.
    /// </summary>
    public static void Publish(string finished, string target)
    {
        try
        {
            Directory.Move(finished, target);
        }
        catch (IOException) when (Directory.Exists(target))
        {
            // Both were made from the same things; ours goes with its workspace.
        }
    }

    /// <summary>Lets every user read the files of a folder, enter its folders and run its programs.</summary>
    public static void OpenForReading(string folder)
    {
        if (OperatingSystem.IsWindows())
            return;
        foreach (var path in Directory.EnumerateFileSystemEntries(folder, "*", EveryFile).Prepend(folder))
        {
            var mode = File.GetUnixFileMode(path) | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
            if (mode.HasFlag(UnixFileMode.UserExecute))
                mode |= UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;
            File.SetUnixFileMode(path, mode);
        }
    }

    /// <summary>Deletes a folder with all that is in it.</summary>
    /// <returns>Whether it is gone.</returns>
    public static bool TryDelete(string folder)
    {
        try
        {
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
            return true;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Deletes a folder if nothing is in it.</summary>
    public static void TryDeleteEmpty(string folder)
    {
        try
        {
            Directory.Delete(folder);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Somebody uses it by now.
        }
    }

    public static void TryDeleteFile(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // In use by somebody who has the same intention.
        }
    }
}
