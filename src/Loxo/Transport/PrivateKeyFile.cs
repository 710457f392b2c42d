using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>
/// Who may read the client's key, by libpq's rule (the manual, 32.19.2): the user alone; if the file belongs to root, a group too. Windows
/// is not looked at.
/// </summary>
internal static partial class PrivateKeyFile
{
    private const UnixFileMode ForGroupOfRoot = UnixFileMode.GroupRead;

    private const UnixFileMode ForOthers =
        UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute
        | UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute;

    /// <exception cref="PgException">Others may read it.</exception>
    public static void CheckAccess(string path)
    {
        if (OperatingSystem.IsWindows())
            return;
        UnixFileMode access;
        try
        {
            access = File.GetUnixFileMode(path) & ForOthers;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw TlsErrors.FileUnusable("SSL Key", path, $"it cannot be read: {e.Message}", e);
        }
        if (access != 0 && (access != ForGroupOfRoot || !IsOfRoot(path)))
            throw TlsErrors.FileUnusable("SSL Key", path,
                "its group or others have access to it. Run chmod 0600 on it; a file of root may have 0640.");
    }

    // Elsewhere the owner is not known, and the stricter rule holds.
    private static bool IsOfRoot(string path)
    {
        if (!OperatingSystem.IsLinux())
            return false;
        try
        {
            Span<byte> status = stackalloc byte[Statx.Size];
            return Statx.Call(Statx.CurrentDirectory, path, 0, Statx.OwnerMask, ref MemoryMarshal.GetReference(status)) == 0
                && MemoryMarshal.Read<uint>(status[Statx.OwnerOffset..]) == 0;
        }
        catch (EntryPointNotFoundException)
        {
            return false;
        }
    }

    // statx(2), whose structure is the same on all processors.
    private static partial class Statx
    {
        public const int Size = 256;
        public const int CurrentDirectory = -100;
        public const uint OwnerMask = 8;
        public const int OwnerOffset = 20;

        [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
        public static partial int Call(int directory, string path, int flags, uint mask, ref byte status);
    }
}
