using System.Globalization;
using System.Text;
using Loxo.Embedded.Processes;

namespace Loxo.Embedded.Storage;

/// <summary>
/// A folder with one owner. The owner holds an exclusive lock on a file beside it; the operating system drops the lock when the owner dies,
/// however it dies, and whoever gets the lock then may remove the folder. Unlike a process id, a lock is never reused and means the same in
/// every container that shares the folder.
/// </summary>
internal sealed class Workspace : IDisposable
{
    private const string LockSuffix = ".lock";

    private readonly FileStream _lock;

    private Workspace(string directory, FileStream heldLock) => (Directory, _lock) = (directory, heldLock);

    public string Directory { get; }

    /// <summary>The data directory of the workspace's server, when it has one.</summary>
    public string DataDirectory => Path.Combine(Directory, "data");

    /// <summary>Makes the folder, or answers null when the name is taken.</summary>
    public static Workspace? TryCreate(string path)
    {
        if (TryLock(path, FileMode.CreateNew) is not { } heldLock)
            return null;

        // Opening and locking are two steps; a sweep between them takes the file for an abandoned one and deletes it.
        if (!File.Exists(path + LockSuffix))
        {
            heldLock.Dispose();
            return null;
        }
        CheckThatItHolds(path, heldLock);
        heldLock.Write(Encoding.ASCII.GetBytes(Environment.ProcessId.ToString(CultureInfo.InvariantCulture) + "\n")); // for people who look
        heldLock.Flush();
        System.IO.Directory.CreateDirectory(path);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        return new Workspace(path, heldLock);
    }

    /// <summary>The workspaces in a folder whose owners are dead. They belong to the caller now; disposing removes them.</summary>
    public static IEnumerable<Workspace> FindAbandoned(string folder)
    {
        foreach (var file in System.IO.Directory.GetFiles(folder, "*" + LockSuffix))
        {
            var path = file[..^LockSuffix.Length];
            if (TryLock(path, FileMode.Open) is { } heldLock)
                yield return new Workspace(path, heldLock);
        }
    }

    /// <summary>Kills a server that still runs here and removes the folder. What cannot be removed now is left to a later sweep.</summary>
    public void Dispose()
    {
        if (_lock.SafeFileHandle.IsClosed)
            return;
        if (Survivor.Kill(DataDirectory) && FileTree.TryDelete(Directory) && !OperatingSystem.IsWindows())
            File.Delete(Directory + LockSuffix); // before the lock is dropped, or another process could be using the name already
        _lock.Dispose();
        if (OperatingSystem.IsWindows() && !System.IO.Directory.Exists(Directory))
            FileTree.TryDeleteFile(Directory + LockSuffix); // Windows deletes no open file
    }

    // Some network file systems, and a switch of the .NET runtime, let every lock succeed; a sweep would then remove living servers.
    private static void CheckThatItHolds(string path, FileStream heldLock)
    {
        using var second = TryLock(path, FileMode.Open);
        if (second is null)
            return;
        heldLock.Dispose();
        FileTree.TryDeleteFile(path + LockSuffix);
        throw new PgEmbeddedServerException($"Locks on files have no effect in '{Path.GetDirectoryName(path)}'. Name a folder on a local "
            + "disk with PgEmbeddedServerOptions.CacheDirectory, and leave DOTNET_SYSTEM_IO_DISABLEFILELOCKING unset.");
    }

    private static FileStream? TryLock(string path, FileMode mode)
    {
        try
        {
            return new FileStream(path + LockSuffix, mode, FileAccess.ReadWrite, FileShare.None);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
