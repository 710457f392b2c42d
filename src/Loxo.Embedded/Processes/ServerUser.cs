using System.Globalization;
using System.Runtime.InteropServices;

namespace Loxo.Embedded.Processes;

/// <summary>
/// The unprivileged user that runs the server's programs when this process is root: PostgreSQL refuses root. On Windows pg_ctl and initdb
/// drop the rights of an administrator themselves.
/// </summary>
internal sealed partial class ServerUser
{
    private static readonly string[] Candidates = ["postgres", "nobody"];

    private readonly uint _userId;
    private readonly uint _groupId;

    private ServerUser(string name, uint userId, uint groupId) => (Name, _userId, _groupId) = (name, userId, groupId);

    public string Name { get; }

    /// <summary>The user to change to, or null when this process can run the server itself.</summary>
    /// <exception cref="PgEmbeddedServerException">This process is root and there is no user to change to.</exception>
    public static ServerUser? Find()
    {
        if (OperatingSystem.IsWindows() || !Environment.IsPrivilegedProcess)
            return null;

        var accounts = File.ReadLines("/etc/passwd").Select(line => line.Split(':')).Where(fields => fields.Length >= 4).ToList();
        foreach (var name in Candidates)
        {
            if (accounts.Find(fields => fields[0] == name) is { } account)
                return new ServerUser(name, ParseId(account[2]), ParseId(account[3]));
        }
        throw new PgEmbeddedServerException(
            "PostgreSQL does not run as root, and /etc/passwd has neither the user 'postgres' nor 'nobody' to run it as. " +
            "Add one (useradd --system postgres), or run this program as an ordinary user.");
    }

    /// <summary>Makes the user the owner of a file or directory (not of what is in it).</summary>
    public void Own(string path)
    {
        if (ChangeOwner(path, _userId, _groupId) != 0)
            throw new PgEmbeddedServerException(
                $"'{path}' could not be given to the user '{Name}': {Marshal.GetLastPInvokeErrorMessage()}.");
    }

    /// <summary>The first folder on the way to a path that the user may not enter, or null when all are open.</summary>
    public static string? FindClosedFolder(string path)
    {
        if (OperatingSystem.IsWindows())
            return null;
        for (var folder = Path.GetFullPath(path); folder is not null; folder = Path.GetDirectoryName(folder))
        {
            if (Directory.Exists(folder) && !File.GetUnixFileMode(folder).HasFlag(UnixFileMode.OtherExecute))
                return folder;
        }
        return null;
    }

    // BSD systems keep the ids of 'nobody' negative.
    private static uint ParseId(string text) => unchecked((uint)long.Parse(text, CultureInfo.InvariantCulture));

    [LibraryImport("libc", EntryPoint = "lchown", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ChangeOwner(string path, uint userId, uint groupId);
}
