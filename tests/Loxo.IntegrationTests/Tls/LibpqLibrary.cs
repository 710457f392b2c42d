using System.Runtime.InteropServices;

namespace Loxo.IntegrationTests.Tls;

/// <summary>libpq in this process: whether it connects, and how.</summary>
internal sealed class LibpqLibrary
{
    private readonly Connect _connect;
    private readonly Status _status;
    private readonly Status _usesTls;
    private readonly Text _error;
    private readonly Finish _finish;

    private LibpqLibrary(nint library)
    {
        _connect = Export<Connect>(library, "PQconnectdb");
        _status = Export<Status>(library, "PQstatus");
        _usesTls = Export<Status>(library, "PQsslInUse");
        _error = Export<Text>(library, "PQerrorMessage");
        _finish = Export<Finish>(library, "PQfinish");
        Version = Export<Number>(library, "PQlibVersion")();
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint Connect([MarshalAs(UnmanagedType.LPUTF8Str)] string settings);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int Status(nint connection);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint Text(nint connection);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void Finish(nint connection);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int Number();

    /// <summary>Such as 180004.</summary>
    public int Version { get; }

    /// <summary>The library that came with the server, or that of the system; null if there is none.</summary>
    /// <param name="binaryDirectory">The server's programs.</param>
    public static LibpqLibrary? Load(string binaryDirectory) => Find(binaryDirectory) is { } library ? new LibpqLibrary(library) : null;

    /// <summary>As <see cref="Load"/>, the library's handle.</summary>
    public static nint? Find(string binaryDirectory)
    {
        var folder = Path.Combine(Path.GetDirectoryName(binaryDirectory)!, "lib");
        // Those of the package, which are found only where they are loaded already.
        foreach (var name in new[] { "libcrypto.so.1.1", "libssl.so.1.1" })
            NativeLibrary.TryLoad(Path.Combine(folder, name), out _);
        foreach (var path in new[] { Path.Combine(folder, "libpq.so.5"), "libpq.so.5" })
        {
            if (NativeLibrary.TryLoad(path, out var library))
                return library;
        }
        return null;
    }

    /// <summary>"clear", "encrypted", or "refused" with the reason.</summary>
    public (string Outcome, string Reason) Try(IEnumerable<KeyValuePair<string, string>> settings)
    {
        var connection = _connect(string.Join(' ', settings.Select(pair => $"{pair.Key}='{pair.Value.Replace("'", "\\'", StringComparison.Ordinal)}'")));
        try
        {
            return _status(connection) == 0
                ? (_usesTls(connection) == 1 ? "encrypted" : "clear", "")
                : ("refused", Marshal.PtrToStringUTF8(_error(connection)) ?? "");
        }
        finally
        {
            _finish(connection);
        }
    }

    /// <summary>A function of the library.</summary>
    public static T Export<T>(nint library, string name)
        where T : Delegate => Marshal.GetDelegateForFunctionPointer<T>(NativeLibrary.GetExport(library, name));
}
