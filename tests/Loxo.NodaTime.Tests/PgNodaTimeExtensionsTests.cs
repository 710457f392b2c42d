namespace Loxo.Noda.Tests;

public class PgNodaTimeExtensionsTests
{
    [Test]
    public void The_builder_goes_on()
    {
        var builder = new PgDataSourceBuilder("Host=localhost");
        Assert.That(builder.UseNodaTime(), Is.SameAs(builder));
        Assert.That(() => ((PgDataSourceBuilder)null!).UseNodaTime(), Throws.ArgumentNullException);
    }

    [Test]
    public void Every_codec_refuses_random_bytes_precisely()
    {
        var random = new Random(1);
        foreach (var codec in PgNodaTimeExtensions.Codecs().SelectMany(type => type.Codecs))
        {
            for (var i = 0; i < 2000; i++)
            {
                var bytes = new byte[random.Next(40)];
                random.NextBytes(bytes);
                Assert.That(() => Reads(codec, bytes), Is.True, $"{codec.ValueType} from {Convert.ToHexStringLower(bytes)}");
            }
        }
    }

    // A value, or one of the errors that a codec may throw.
    private static bool Reads(Codec codec, byte[] bytes)
    {
        try
        {
            return codec.ReadObject(bytes) is not null;
        }
        catch (Exception error) when (error is PgException or OverflowException or InvalidCastException)
        {
            return true;
        }
    }
}
