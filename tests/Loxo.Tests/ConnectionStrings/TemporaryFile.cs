namespace Loxo.Tests.ConnectionStrings;

/// <summary>A file that only its owner can read, gone after the test.</summary>
internal sealed class TemporaryFile : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("loxo-");

    public TemporaryFile(string content)
    {
        File.WriteAllText(Path, content);
        SetMode(UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    public string Path => System.IO.Path.Combine(_directory.FullName, "file");

    public void SetMode(UnixFileMode mode)
    {
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(Path, mode);
    }

    public void Dispose() => _directory.Delete(recursive: true);
}
