using Loxo.Settings;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>An environment of the test's own, so that no variable or file of the machine counts.</summary>
internal static class Given
{
    public static readonly SettingsEnvironment NoEnvironment = Environment([]);

    public static SettingsEnvironment Environment(Dictionary<string, string> variables) => new()
    {
        Variable = variables.GetValueOrDefault,
        DefaultPassfile = null,
        DefaultRootCertificate = null,
        DefaultServiceFile = null,
        SystemDirectories = [],
        SocketDirectories = [],
        UserName = "osuser",
    };

    public static ConnectionSettings Settings(string connectionString, SettingsEnvironment? environment = null) =>
        new PgConnectionStringBuilder(connectionString).ToSettings(environment ?? NoEnvironment);

    public static string ErrorOf(string connectionString) =>
        Assert.Throws<ArgumentException>(() => _ = new PgConnectionStringBuilder(connectionString))!.Message;
}
