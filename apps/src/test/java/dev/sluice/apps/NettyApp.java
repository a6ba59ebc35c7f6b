package dev.sluice.apps;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;

/**
 * Netty 4.2: an echo of megabytes, and a half-close. The client sends everything, ends its
 * direction, and gets the last bytes after that.
 */
final class NettyApp implements Server, Client {
    private static final int LENGTH = 16_000_000;

    @Override
    public Running serve(InetAddress at) throws Exception {
        EventLoopGroup group = group();
        Channel channel =
                new ServerBootstrap()
                        .group(group)
                        .channel(NioServerSocketChannel.class)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .childHandler(initializer(Echo::new))
                        .bind(at, 0)
                        .sync()
                        .channel();
        int port = ((InetSocketAddress) channel.localAddress()).getPort();
        return new Running(port, () -> group.shutdownGracefully().sync());
    }

    private static EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    }

    private static ChannelInitializer<Channel> initializer(
            java.util.function.Supplier<ChannelInboundHandlerAdapter> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handler.get());
            }
        };
    }

    /** Sends back what comes, reads no more than it can send, and ends when the client does. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                context.writeAndFlush(Unpooled.EMPTY_BUFFER)
                        .addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        EventLoopGroup group = group();
        CompletableFuture<String> echoed = new CompletableFuture<>();
        Channel channel =
                new Bootstrap()
                        .group(group)
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .handler(initializer(() -> new Digest(echoed)))
                        .connect(server)
                        .sync()
                        .channel();
        channel.writeAndFlush(Unpooled.wrappedBuffer(Content.bytes(LENGTH)))
                .addListener(f -> ((DuplexChannel) channel).shutdownOutput());
        Http.equal(Content.expected(LENGTH), echoed.get());
        channel.close().sync();
        group.shutdownGracefully().sync();
    }

    private static final class Digest extends ChannelInboundHandlerAdapter {
        private final MessageDigest digest = Content.sha256();
        private final CompletableFuture<String> result;
        private long length;

        Digest(CompletableFuture<String> result) {
            this.result = result;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            length += buffer.readableBytes();
            digest.update(buffer.nioBuffer());
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                result.complete(Content.summary(length, digest));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            result.completeExceptionally(cause);
        }
    }
}
